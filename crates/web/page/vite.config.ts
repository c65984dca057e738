import { defineConfig } from "vitest/config";

const SERVER = process.env.BAYPLAN_SERVER ?? "http://127.0.0.1:8080";

// The built page is committed beside the sources, so that cargo needs no Node; `./task page --check`
// builds it again and compares. File names carry no hash: the server says when a file has changed.
export default defineConfig({
  base: "./",
  build: {
    outDir: "../dist",
    emptyOutDir: true,
    target: "es2022",
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
    assetsInlineLimit: 0, // the content security policy allows no data: addresses
    modulePreload: { polyfill: false },
    rollupOptions: {
      output: {
        entryFileNames: "page.js",
        chunkFileNames: "[name].js",
        assetFileNames: "[name][extname]",
      },
    },
  },
  server: {
    // The server takes requests from its own page only: while developing, this one stands in for it.
    proxy: { "/api": { target: SERVER, changeOrigin: true, headers: { origin: SERVER } } },
  },
  test: {
    // The browser tests share two cores with the solver they drive.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    fileParallelism: false,
  },
});
