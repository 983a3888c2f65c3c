import { objectOf, objectsOf, textOf } from '../fields/json-fields.ts'
import { type Inventory, startDependencies } from '../inventory.ts'
import { type Check, findProblems } from '../problems/checks.ts'
import type { JsonObject } from '../report.ts'
import type { OpenOptions } from '../report-format.ts'
import { type ComponentIndex, describeComponent } from './components.ts'

interface Subject {
  source: string
  /** Scanned lock file and its package manager, if the analyzer states them. */
  inputFile: string | undefined
  packageManager: string | undefined
}

/** Collects the components of a document, and adds them to the index for its vulnerabilities. */
export function readComponents(
  index: ComponentIndex,
  { source, inputFile, packageManager }: Subject,
  { tally, check }: Pick<OpenOptions, 'tally'> & { check: Check },
): Inventory {
  const dependencies = startDependencies(tally)
  return {
    source,
    check: (value, { index }) => findProblems(check, value, ['components', index]),
    read(entry, { pointer }) {
      for (const component of index.add(entry)) {
        if (!isDependency(component)) continue
        const { name, version, file, packageUrl } = describeComponent(component)
        const licenses = licensesOf(component)
        dependencies.add({ name, version, packageUrl, packageManager, file: file ?? inputFile, licenses }, pointer)
      }
    },
    list: dependencies.all,
  }
}

/** Components of other types, such as files and lock files, are dependencies only if they have a package URL. */
const isDependency = ({ type, purl }: JsonObject): boolean =>
  type === 'library' || type === 'framework' || textOf(purl) !== undefined

/** Returns the ids, names or expressions of licenses. */
function licensesOf({ licenses }: JsonObject): string[] {
  return objectsOf(licenses).flatMap(({ license, expression }) => {
    const { id, name } = objectOf(license) ?? {}
    return textOf(id) ?? textOf(name) ?? textOf(expression) ?? []
  })
}
