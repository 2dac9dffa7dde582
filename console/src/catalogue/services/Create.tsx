// A new service.
export { NewService as default } from './Editor';
