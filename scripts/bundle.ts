import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BuildOptions, build, type Plugin } from 'esbuild'

const source = fileURLToPath(new URL('../packages/server/src/', import.meta.url))

/** Modules that `workerBeside` starts on their own threads or as processes. */
const workers = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((name) => /-(worker|process)\.ts$/.test(name))
  .map((name) => join(source, name))

/** Imports with native code. */
const external = ['@node-rs/argon2', 'pg-native', 'sharp']

/**
 * Includes a package that is loaded on first use with `createRequire`. esbuild follows only `require`, and an installation
 * has no packages but the external ones.
 */
const followLateRequire: Plugin = {
  name: 'follow-late-require',
  setup({ onLoad }) {
    onLoad({ filter: /(cvss-score|cyclonedx\/components)\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace('createRequire(import.meta.url)(', 'require('),
      loader: 'ts',
    }))
  },
}

/**
 * Replaces the warnings of http-errors about deprecated calls, none of which the program makes. The package that prints them
 * looks up the line that loads it, for which V8 indexes all lines of the program at each start.
 */
const omitDeprecations: Plugin = {
  name: 'omit-deprecations',
  setup({ onLoad }) {
    onLoad({ filter: /\/depd\/index\.js$/ }, () => ({
      contents: 'module.exports = () => Object.assign(() => {}, { function: (called) => called, property() {} })',
      loader: 'js',
    }))
  },
}

/** Leaves the program out of the server's `main.js`, which loads `program.cjs` instead. */
const loadProgramLate: Plugin = {
  name: 'load-program-late',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/program\.ts$/ }, ({ importer }) =>
      importer === join(source, 'main.ts') ? { path: './program.ts', external: true } : undefined,
    )
  },
}

/**
 * Packages that the program loads on first use, by the file beside it that contains them. V8 keeps the text of a program in
 * memory: two megabytes of these packages.
 */
const latePackages: Readonly<Record<string, readonly string[]>> = {
  aws: ['@aws-sdk/client-s3', '@aws-sdk/s3-request-presigner'],
  graphql: ['graphql'],
  webauthn: ['@simplewebauthn/server'],
}

const loadPackagesLate: Plugin = {
  name: 'load-packages-late',
  setup({ onResolve }) {
    for (const [name, packages] of Object.entries(latePackages)) {
      onResolve({ filter: new RegExp(`^(${packages.join('|')})$`) }, ({ importer }) =>
        importer.startsWith(source) ? { path: `./${name}.cjs`, external: true } : undefined,
      )
    }
  },
}

const options: BuildOptions = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  external,
  plugins: [followLateRequire, loadProgramLate],
  // CommonJS packages call `require`, which modules do not have.
  banner: {
    js: "import { createRequire as openRequire } from 'node:module'; const require = openRequire(import.meta.url);",
  },
  logLevel: 'warning',
}

/**
 * Bundles a program with the packages that it imports into a few files of an empty folder, and with `hasWorkers` the
 * workers of the server. Loading hundreds of modules one by one takes three times as long.
 */
export async function bundle(program: string, folder: string, { hasWorkers = false } = {}): Promise<void> {
  rmSync(folder, { recursive: true, force: true })
  await build({
    entryPoints: [program, ...(hasWorkers ? workers : [])],
    outdir: folder,
    // Workers are expected beside the module that starts them, so all files are in one folder.
    entryNames: '[name]',
    chunkNames: '[name]-[hash]',
    splitting: true,
    sourcemap: 'linked',
    sourcesContent: false,
    ...options,
  })
}

/** Bundles the packages that the program loads on first use into files beside it. */
export async function bundleLatePackages(folder: string): Promise<void> {
  for (const [name, packages] of Object.entries(latePackages)) {
    await build({
      ...options,
      stdin: { contents: packages.map((name) => `export * from '${name}'`).join('\n'), resolveDir: source },
      outfile: join(folder, `${name}.cjs`),
      format: 'cjs',
      banner: {},
      minifyWhitespace: true,
      lineLimit: 200,
      legalComments: 'none',
    })
  }
}

/** Bundles the server into one file of ASCII characters: a function around a CommonJS module, as `code-cache.ts` loads it. */
export async function bundleProgram(program: string, file: string): Promise<void> {
  await build({
    ...options,
    plugins: [followLateRequire, loadPackagesLate, omitDeprecations],
    entryPoints: [program],
    outfile: file,
    format: 'cjs',
    minifyWhitespace: true,
    minifySyntax: true,
    // Node prints the line of an uncaught error.
    lineLimit: 200,
    legalComments: 'none',
    sourcemap: 'linked',
    sourcesContent: false,
    // `import()` in a script with cached code fails.
    supported: { 'dynamic-import': false },
    define: { 'import.meta.url': 'moduleUrl' },
    banner: { js: `${moduleFunction} const moduleUrl = require('node:url').pathToFileURL(__filename).href;` },
    footer: { js: '})' },
  })
  // esbuild escapes characters everywhere but in regular expressions.
  const code = readFileSync(file, 'utf8')
  writeFileSync(
    file,
    code.replace(/[^ -~\r\n\t]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`),
  )
}

const moduleFunction = '(function (exports, require, module, __filename, __dirname) {'

/** Bundles a program into one file. */
export async function bundleFile(program: string, file: string): Promise<void> {
  await build({ entryPoints: [program], outfile: file, minifyWhitespace: true, ...options })
}
