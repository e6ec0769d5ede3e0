// Vite builds a separate script of this module, because it is imported dynamically.
export { Upload } from "tus-js-client";
