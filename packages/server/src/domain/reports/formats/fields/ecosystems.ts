import { type PackageParts, splitName } from '../../../findings/package-url.ts'

/** Types of package URLs whose packages have no namespace. */
const plainTypes = ['cargo', 'cocoapods', 'conan', 'cran', 'gem', 'hackage', 'hex', 'nuget', 'pub', 'pypi'] as const
/** Types whose packages always have a namespace, which scanners write as a part of the name. */
const namespacedTypes = ['composer', 'maven', 'swift'] as const
/** `npm` and `golang`: packages may have a namespace. */
export type Ecosystem = (typeof plainTypes)[number] | (typeof namespacedTypes)[number] | 'golang' | 'npm'

/**
 * Returns the parts of a package's URL, given the name as its ecosystem writes it. Returns `undefined` if the ecosystem
 * is unknown or the name lacks the namespace that the ecosystem requires.
 */
export function packageIn(
  ecosystem: Ecosystem | undefined,
  name: string | undefined,
  version: string | undefined,
): PackageParts | undefined {
  if (!ecosystem || !name) return undefined
  if (isOneOf(plainTypes, ecosystem)) {
    return /[/:]/.test(name) ? undefined : { type: ecosystem, name, version }
  }
  const parts = splitName(name)
  if (!parts.namespace && isOneOf(namespacedTypes, ecosystem)) return undefined
  return { type: ecosystem, ...parts, version: ecosystem === 'golang' ? goVersion(version) : version }
}

const isOneOf = (types: readonly string[], ecosystem: Ecosystem): boolean => types.includes(ecosystem)

/** Adds the `v` of a module's version, which some scanners leave out. */
const goVersion = (version: string | undefined): string | undefined =>
  version && /^\d+\.\d+\.\d+/.test(version) ? `v${version}` : version

/** Returns the ecosystem of a lock file or build file, by its name. */
export function ecosystemOfFile(path: string): Ecosystem | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  return files.get(name) ?? endings.find(([ending]) => name.endsWith(ending))?.[1]
}

const files: ReadonlyMap<string, Ecosystem> = new Map(
  Object.entries<Ecosystem>({
    'build.gradle': 'maven',
    'build.gradle.kts': 'maven',
    'build.sbt': 'maven',
    'cargo.lock': 'cargo',
    'composer.lock': 'composer',
    'conan.lock': 'conan',
    'conanfile.txt': 'conan',
    'gemfile.lock': 'gem',
    'gems.locked': 'gem',
    'go.mod': 'golang',
    'go.sum': 'golang',
    'gradle.lockfile': 'maven',
    'mix.lock': 'hex',
    'npm-shrinkwrap.json': 'npm',
    'package-lock.json': 'npm',
    'packages.lock.json': 'nuget',
    'pdm.lock': 'pypi',
    pipfile: 'pypi',
    'pipfile.lock': 'pypi',
    'pnpm-lock.yaml': 'npm',
    'poetry.lock': 'pypi',
    'pom.xml': 'maven',
    'pubspec.lock': 'pub',
    'requirements.pip': 'pypi',
    'requirements.txt': 'pypi',
    'setup.py': 'pypi',
    'uv.lock': 'pypi',
    'yarn.lock': 'npm',
  }),
)

const endings: readonly (readonly [string, Ecosystem])[] = [
  ['.csproj', 'nuget'],
  ['.gemspec', 'gem'],
]

/** Returns the ecosystem of a word that package managers and scanners use. */
export const ecosystemOf = (word: string | undefined): Ecosystem | undefined =>
  word === undefined ? undefined : words.get(word.toLowerCase())

/** Names of package managers, of ecosystems in OSV records, and of Trivy's types of results. */
const words: ReadonlyMap<string, Ecosystem> = new Map(
  Object.entries<Ecosystem>({
    bundler: 'gem',
    cargo: 'cargo',
    cocoapods: 'cocoapods',
    composer: 'composer',
    'composer-vendor': 'composer',
    conan: 'conan',
    conancenter: 'conan',
    cran: 'cran',
    'crates.io': 'cargo',
    'dotnet-core': 'nuget',
    gemspec: 'gem',
    go: 'golang',
    gobinary: 'golang',
    gomod: 'golang',
    gradle: 'maven',
    hackage: 'hackage',
    hex: 'hex',
    jar: 'maven',
    maven: 'maven',
    'node-pkg': 'npm',
    npm: 'npm',
    nuget: 'nuget',
    packagist: 'composer',
    paket: 'nuget',
    pip: 'pypi',
    pipenv: 'pypi',
    pnpm: 'npm',
    poetry: 'pypi',
    pom: 'maven',
    pub: 'pub',
    pypi: 'pypi',
    'python-pkg': 'pypi',
    rubygems: 'gem',
    rustbinary: 'cargo',
    sbt: 'maven',
    swift: 'swift',
    swifturl: 'swift',
    uv: 'pypi',
    yarn: 'npm',
  }),
)
