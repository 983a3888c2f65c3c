import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

export default defineConfig({
  base: '/-/',
  plugins: [react(), compressed()],
  build: {
    target: 'es2023',
    // Those with light-dark(), which older targets would have rewritten in ways that a choice of theme does not reach.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    cssCodeSplit: true,
    // Inlined files would be data: addresses, of which the page's policy knows pictures only.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // One file instead of some forty small ones, without the components whose popups are large.
          groups: [
            {
              name: 'shared',
              test: /web\/src\/(components|data|styles)\/(?!overlay\/(dialog|open-menu|typed)|form\/(suggest|action|avatar)|page\/admin)/,
            },
            { name: 'shared', test: /lucide-react/, minShareCount: 5 },
          ],
        },
      },
    },
  },
})

/** Beside every text its compressed forms, so that the server compresses nothing. */
function compressed(): Plugin {
  return {
    name: 'compressed',
    apply: 'build',
    writeBundle({ dir }) {
      const folder = dir ?? 'dist'
      for (const name of ['index.html', ...readdirSync(join(folder, 'assets')).map((name) => `assets/${name}`)]) {
        if (!/\.(html|js|css|svg|json)$/.test(name)) continue
        const content = readFileSync(join(folder, name))
        writeFileSync(join(folder, `${name}.gz`), gzipSync(content, { level: 9 }))
        const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length }
        writeFileSync(join(folder, `${name}.br`), brotliCompressSync(content, { params }))
      }
    },
  }
}
