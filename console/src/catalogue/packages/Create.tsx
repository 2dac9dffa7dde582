// A new package.
export { NewPackage as default } from './Editor';
