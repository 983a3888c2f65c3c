import { wrongUsage } from '../../exit.ts'
import type { Io } from '../../io.ts'
import { fieldsOf } from '../findings/fields.ts'
import { readSourceFile } from '../findings/json-file.ts'
import type { FindingRecord, FindingSource, MappedFinding } from '../findings/record.ts'
import { mapRow } from './map-row.ts'
import { readCsv } from './read-csv.ts'

/**
 * Reads an export of Alcove, as CSV or JSON, or any CSV file with columns of its names. An export contains the data of
 * each vulnerability in the column `Import Data` or the field `import_data`.
 */
export async function openCsv(io: Io, file: string): Promise<FindingSource> {
  const text = await readSourceFile(io, file)
  const isExport = /^\s*\[/.test(text) || /^[^\n]*,Import Data\r?(?:\n|$)/.test(text)
  const findings = isExport ? exported(text, file) : rows(text)
  return {
    source: isExport ? 'alcove' : 'csv',
    name: isExport ? 'Alcove' : 'CSV',
    async *findings() {
      yield* findings
    },
  }
}

function* exported(text: string, file: string): Generator<MappedFinding> {
  const written = /^\s*\[/.test(text) ? parse(text, file) : undefined
  const list = Array.isArray(written) ? written : readCsv(text)
  for (const row of list) {
    const record =
      row instanceof Map ? parse(row.get('Import Data') ?? '', file) : Reflect.get(Object(row), 'import_data')
    if (!isRecord(record)) throw wrongUsage(`${file} is not an export of this version of Alcove: it lacks import data.`)
    yield { id: record.id, status: statusOf(record), record, notes: [] }
  }
}

function* rows(text: string): Generator<MappedFinding> {
  let number = 0
  for (const row of readCsv(text)) yield mapRow(row, ++number)
  if (number === 0) throw wrongUsage('The CSV file has no rows.')
}

const statusOf = ({ state, dismissal_reason }: FindingRecord) => [state, dismissal_reason].filter(Boolean).join(', ')

function parse(text: string, file: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw wrongUsage(`${file} is not valid: ${text === '' ? 'a row has no import data' : 'its JSON cannot be read'}.`)
  }
}

/** Returns true for what has the fields that the command reads. The server checks the others. */
function isRecord(value: unknown): value is FindingRecord {
  const fields = fieldsOf(value)
  return fields.text('id') !== undefined && fields.text('state') !== undefined
}
