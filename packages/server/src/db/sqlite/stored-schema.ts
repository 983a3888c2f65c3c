import { hash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Migration } from '../migrate.ts'

const fileName = 'schema.sql'

/** First line of the file: a digest of the script and of the names of the migrations whose result it has. */
const headOf = (migrations: readonly Migration[], script: string) =>
  `-- ${hash('sha256', [...migrations.map(({ name }) => name), script].join('\n'))}\n`

/** Stores the script of `schemaScriptOf` beside the built program. */
export function storeSchema(folder: string, migrations: readonly Migration[], script: string): void {
  writeFileSync(join(folder, fileName), headOf(migrations, script) + script)
}

/**
 * Returns the script that the build has stored beside the program. With it a first start takes 0.5 s less than with all
 * migrations. Undefined if there is none, as when the program runs from its sources, if it was built from other migrations,
 * or if it is damaged.
 */
export function readStoredSchema(migrations: readonly Migration[], folder = import.meta.url): string | undefined {
  try {
    const stored = readFileSync(new URL(fileName, folder), 'utf8')
    const script = stored.slice(stored.indexOf('\n') + 1)
    return stored === headOf(migrations, script) + script ? script : undefined
  } catch {
    return undefined
  }
}
