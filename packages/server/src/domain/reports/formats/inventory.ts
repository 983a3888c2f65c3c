import type { ReportProblem } from '../../../platform/failure.ts'
import { maxDependencies, type ReportedDependency } from '../../dependencies/dependency.ts'
import { parsePackageUrl } from '../../findings/package-url.ts'
import type { Item } from '../reader/document.ts'
import { shorten } from './fields/shorten.ts'
import type { Tally } from './problems/tally.ts'
import type { JsonObject } from './report.ts'

/** Reader of the dependencies that a report lists. Its entries are read before the findings. */
export interface Inventory {
  /** Identifies the subject among the reports of one scanner, such as an image or a lock file. */
  source: string
  check?: (value: unknown, item: Item) => ReportProblem[]
  /** Reads an entry of a list in `ReportFormat.parts`. */
  read(entry: JsonObject, item: Item): void
  /** Returns the dependencies after all entries are read. */
  list(): readonly ReportedDependency[]
}

/** A dependency as a format reads it. */
export interface DependencyDraft {
  name: string
  version: string
  packageUrl: string | undefined
  packageManager?: string | undefined
  file?: string | undefined
  licenses: readonly string[]
}

const maxText = 255
const maxFile = 1000
const maxLicenses = 10

export interface DependencyList {
  add(draft: DependencyDraft, pointer: string): void
  all(): readonly ReportedDependency[]
}

/** Collects dependencies without repetitions, up to a limit. */
export function startDependencies(tally: Tally): DependencyList {
  const found = new Map<string, ReportedDependency>()
  return {
    add(draft, pointer) {
      if (draft.name === '') return
      const made = dependencyOf(draft)
      const key = JSON.stringify([made.packageKey ?? made.name, made.version, made.file])
      if (found.has(key)) return
      if (found.size < maxDependencies) found.set(key, made)
      else tally.add(`The report lists more than ${maxDependencies} dependencies; further ones are not kept`, pointer)
    },
    all: () => [...found.values()],
  }
}

function dependencyOf({ name, version, packageUrl, packageManager, file, licenses }: DependencyDraft) {
  const parsed = packageUrl === undefined ? undefined : parsePackageUrl(packageUrl)
  return {
    name: shorten(name, maxText),
    version: shorten(version, maxText),
    // Without qualifiers, so that it names the version of the package alone.
    packageUrl: parsed?.url.replace(/[?#].*$/s, ''),
    packageKey: parsed?.key,
    type: parsed?.type ?? '',
    packageManager: packageManager ?? managers.get(parsed?.type ?? '') ?? '',
    file: shorten(file ?? '', maxFile),
    licenses: licenses.slice(0, maxLicenses).map((license) => shorten(license, maxText)),
  }
}

/** Package managers by the type of a package URL, as GitLab names them. */
const managers: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    apk: 'apk',
    cargo: 'cargo',
    cocoapods: 'cocoapods',
    composer: 'composer',
    conan: 'conan',
    deb: 'apt',
    gem: 'bundler',
    golang: 'go',
    hex: 'hex',
    maven: 'maven',
    npm: 'npm',
    nuget: 'nuget',
    pub: 'pub',
    pypi: 'pip',
    rpm: 'rpm',
    swift: 'swift',
  }),
)
