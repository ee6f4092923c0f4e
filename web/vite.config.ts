import { defineConfig } from "vitest/config";
import { notices } from "./tools/notices";

// The page works under a Content-Security-Policy without 'unsafe-inline' and data: addresses, from any folder.
export default defineConfig({
  base: "./",
  plugins: [notices()],
  esbuild: { jsx: "automatic", jsxImportSource: "preact" },
  build: { assetsInlineLimit: 0, modulePreload: { polyfill: false }, target: "es2022" },
  server: { proxy: { "/v1": "http://127.0.0.1:8080" } },
  test: { include: ["src/**/*.test.ts"] },
});
