// The page that creates a package.
export { NewPackage as default } from './PackagePage';
