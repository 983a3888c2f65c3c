import { buildPackageUrl } from '../../../findings/package-url.ts'
import { ecosystemOfFile, packageIn } from '../fields/ecosystems.ts'
import { objectOf, objectsOf, textOf } from '../fields/json-fields.ts'
import { type Inventory, startDependencies } from '../inventory.ts'
import type { JsonObject } from '../report.ts'
import type { OpenOptions } from '../report-format.ts'

/** Reads the dependencies that reports up to schema 15.0 list by file. */
export function readDependencyFiles(root: JsonObject, { tally }: OpenOptions): Inventory | undefined {
  const files = objectsOf(root.dependency_files)
  if (files.length === 0) return undefined
  const dependencies = startDependencies(tally)
  return {
    source: '',
    read(entry, { pointer, list }) {
      const declared = files[Number(list.split('/')[2])] ?? {}
      const file = textOf(declared.path) ?? ''
      const name = textOf(objectOf(entry.package)?.name) ?? ''
      const version = textOf(entry.version) ?? ''
      const parts = packageIn(ecosystemOfFile(file), name, version)
      const packageUrl = parts && buildPackageUrl(parts)?.url
      dependencies.add(
        { name, version, packageUrl, packageManager: textOf(declared.package_manager), file, licenses: [] },
        pointer,
      )
    },
    list: dependencies.all,
  }
}
