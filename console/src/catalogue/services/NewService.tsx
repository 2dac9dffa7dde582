// The page that creates a service.
export { NewService as default } from './ServicePage';
