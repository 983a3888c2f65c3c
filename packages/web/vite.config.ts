import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

export default defineConfig({
  base: '/-/',
  plugins: [react(), early(), compressed()],
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
        // Short names, because the first script lists all files.
        entryFileNames: 'assets/[name]-[hash:7].js',
        chunkFileNames: 'assets/[name]-[hash:7].js',
        assetFileNames: 'assets/[name]-[hash:7][extname]',
        codeSplitting: {
          // One file instead of some forty small ones, without the components whose popups are large.
          groups: [
            // The only code that `early.ts` imports at run time.
            { name: 'preload', test: /vite\/preload-helper/, priority: 1 },
            {
              name: 'shared',
              test: /web\/src\/(components|data|styles)\/(?!overlay\/(dialog|open-menu|typed)|form\/(suggest|action|avatar|drop|file-drops|visibility)|page\/(admin|pager|paged-table)|progress-bar|passkeys)/,
            },
            { name: 'shared', test: /lucide-react/, minShareCount: 3 },
            // What lists and pages of vulnerabilities have in common.
            {
              name: 'vulnerabilities',
              test: /web\/src\/(nouns\/(vulnerability\/(texts|owner|filter|conflict|tag-chips|percent|threat|neighbors|lazy|dismissal-end\.|awaiting|saved-view|export-button)|finding\/(texts|place|triage-backlog)|project\/(texts|project\.|project-scope|lazy)|mirror\/(limits|lazy))|features\/vulnerabilities\/(texts|triage\/(triage-change|target-in-words|bulk-requests|promotion\.ts|keys\.ts|lazy)|grid\/view-options\.ts|filters\/severity-bar))/,
            },
          ],
        },
      },
    },
  },
})

/** Adds `src/early.ts` to the page as a script of its own, which does not wait for the other scripts. */
function early(): Plugin {
  const source = 'src/early.ts'
  return {
    name: 'early',
    apply: 'build',
    buildStart() {
      this.emitFile({ type: 'chunk', id: source, name: 'early' })
    },
    transformIndexHtml: {
      order: 'post',
      handler(_page, { bundle = {} }) {
        const chunk = Object.values(bundle).find((file) => file.type === 'chunk' && file.name === 'early')
        if (!chunk) throw new Error(`the build has no ${source}`)
        const attrs = {
          type: 'module',
          async: true,
          crossorigin: true,
          fetchpriority: 'high',
          src: `/-/${chunk.fileName}`,
        }
        return [{ tag: 'script', attrs, injectTo: 'head-prepend' }]
      },
    },
  }
}

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
