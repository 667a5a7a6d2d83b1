// An esbuild plugin: `import css from "./x.css?inline"` is the bundled style sheet as text, as it is in Vite.
import { dirname, resolve } from "node:path";
import * as esbuild from "esbuild";

export const inlineStyles = {
  name: "inline-styles",
  setup(build) {
    build.onResolve({ filter: /\.css\?inline$/ }, ({ path, resolveDir }) => ({
      path: resolve(resolveDir, path.replace(/\?inline$/, "")),
      namespace: "inline-style",
    }));
    build.onLoad({ filter: /.*/, namespace: "inline-style" }, async ({ path }) => {
      const made = await esbuild.build({
        entryPoints: [path],
        bundle: true,
        write: false,
        minify: true,
        metafile: true,
        absWorkingDir: dirname(path),
      });
      const watchFiles = Object.keys(made.metafile.inputs).map((input) => resolve(dirname(path), input));
      return { contents: made.outputFiles[0].text, loader: "text", watchFiles };
    });
  },
};
