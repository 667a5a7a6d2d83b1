// A style sheet as text, bundled by build.mjs.
declare module "*.css?inline" {
  const css: string;
  export default css;
}
