/** Languages whose code is highlighted, each with the endings of its files. */
const endings = {
  bash: ['sh', 'bash', 'zsh', 'bashrc', 'profile'],
  c: ['c', 'h'],
  cpp: ['cc', 'cpp', 'cxx', 'hh', 'hpp', 'hxx', 'ino', 'm', 'mm'],
  csharp: ['cs', 'csx'],
  dockerfile: ['dockerfile', 'containerfile'],
  go: ['go'],
  ini: ['ini', 'cfg', 'conf', 'toml', 'properties', 'env', 'editorconfig', 'tf', 'tfvars', 'hcl'],
  java: ['java'],
  javascript: ['js', 'cjs', 'mjs', 'jsx'],
  json: ['json', 'jsonc', 'json5', 'tfstate'],
  kotlin: ['kt', 'kts'],
  php: ['php', 'phtml', 'inc'],
  python: ['py', 'pyi', 'pyw'],
  ruby: ['rb', 'rake', 'gemspec', 'gemfile', 'rakefile', 'podfile', 'vagrantfile'],
  rust: ['rs'],
  sql: ['sql', 'ddl', 'pgsql'],
  swift: ['swift'],
  typescript: ['ts', 'cts', 'mts', 'tsx'],
  xml: ['xml', 'html', 'htm', 'xhtml', 'svg', 'vue', 'jsp', 'csproj', 'config', 'plist'],
  yaml: ['yaml', 'yml'],
} as const satisfies Record<string, readonly string[]>

export type Language = keyof typeof endings

const byEnding = new Map<string, Language>(
  // `Object.keys` loses the type of the keys.
  (Object.keys(endings) as Language[]).flatMap((language) =>
    endings[language].map((ending) => [ending, language] as const),
  ),
)

/** Returns the language of a file by its name, such as `typescript` of `src/app.ts:12`; undefined for other files. */
export function languageOf(file: string | undefined): Language | undefined {
  const name = file?.split(/[/\\]/).at(-1)?.replace(/:\d+$/, '').toLowerCase() ?? ''
  // `Dockerfile`, `Dockerfile.dev` and `dev.Dockerfile` have one language.
  return byEnding.get(name.slice(name.lastIndexOf('.') + 1)) ?? byEnding.get(name.split('.', 1)[0] ?? '')
}
