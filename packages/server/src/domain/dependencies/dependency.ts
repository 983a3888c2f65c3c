/** A dependency that a report lists. */
export interface ReportedDependency {
  name: string
  version: string
  /** Canonical package URL, if the report states it or the ecosystem is certain. */
  packageUrl: string | undefined
  packageKey: string | undefined
  /** Type of the package URL; empty without one. */
  type: string
  /** Name of a package manager as GitLab writes it; empty if unknown. */
  packageManager: string
  /** Path of the file that declares the dependency, or of the package; empty if unknown. */
  file: string
  /** SPDX ids, expressions or names. */
  licenses: readonly string[]
}

/** A dependency of a project. */
export interface Dependency {
  id: number
  name: string
  version: string
  packageUrl: string | null
  packageKey: string | null
  packageManager: string
  file: string
  licenses: readonly string[]
}

/** A vulnerability in a dependency. */
export interface DependencyVulnerability {
  id: number
  title: string
  severity: string
}

/** A version of a package, with the projects that depend on it. */
export interface UsedPackage {
  id: number
  name: string
  version: string
  packageUrl: string | null
  /** Number of readable projects. */
  projects: number
}

/** A package on which projects of a group depend. */
export interface GroupDependency extends UsedPackage {
  /** Number of entries of reports, of which a project can have several. */
  occurrences: number
  /** Name of a package manager as GitLab writes it; empty if unknown. */
  packageManager: string
  licenses: readonly string[]
  /** The first projects. */
  projectIds: readonly number[]
}

export interface LicenseCount {
  name: string
  total: number
}

/** Name under which dependencies without a license are counted. */
export const unknownLicense = 'unknown'

/** Maximum number of dependencies of one report. */
export const maxDependencies = 200_000

/** Package managers of GitLab, then those that Alcove adds. */
export const packageManagers = [
  ...['bundler', 'composer', 'conan', 'go', 'gradle', 'maven', 'npm', 'nuget', 'pip', 'pipenv', 'pnpm', 'yarn', 'sbt'],
  ...['setuptools', 'poetry', 'uv', 'cargo', 'cocoapods', 'swift', 'pub', 'hex', 'apk', 'apt', 'rpm'],
] as const

/** Returns the address of a license whose name is an SPDX id. */
export const licenseUrl = (name: string): string | null =>
  name !== unknownLicense && /^[A-Za-z0-9][A-Za-z0-9.+-]*$/.test(name) && !name.startsWith('LicenseRef-')
    ? `https://spdx.org/licenses/${encodeURIComponent(name)}.html`
    : null
