import { defineConfig } from "vitest/config";

export default defineConfig({
  // The build writes in the names; see build.mjs.
  define: { CORE: JSON.stringify(["core.js"]) },
  esbuild: { jsx: "automatic", jsxImportSource: "preact" },
  test: {
    environment: "happy-dom",
    // A context for each file, in one thread for each processor (by default one fewer): happy-dom is read once for all.
    pool: "vmThreads",
    maxWorkers: "100%",
    include: ["test/**/*.test.{ts,tsx}"],
    restoreMocks: true,
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
