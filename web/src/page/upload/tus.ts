// A script of its own.
export { Upload } from "tus-js-client";
