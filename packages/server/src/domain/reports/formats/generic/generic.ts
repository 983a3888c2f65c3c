import type { ReportProblem } from '../../../../platform/failure.ts'
import { type ReportType, reportTypes } from '../../../findings/scales.ts'
import type { DocumentContext, Item } from '../../reader/document.ts'
import { finishFinding } from '../draft.ts'
import { startIdentifiers } from '../fields/identifiers.ts'
import { listOf, objectOf, textOf } from '../fields/json-fields.ts'
import { slugOf } from '../fields/slug.ts'
import { chooseType, plainScan, scannerOf, toolHeader } from '../header.ts'
import type { JsonObject, ReportFinding, SkippedFinding } from '../report.ts'
import type { OpenedReport, OpenOptions, ReportFormat } from '../report-format.ts'
import { draftOf, type Values } from './draft.ts'
import { type GenericField, genericFields, type Mapping, severityOf } from './mapping.ts'

const rows = ['rows', '*']

/** Tables, as `csvAsJson` converts them, and JSON with a list of objects. The mapping of the sender names their fields. */
export const genericFormat = (mapping?: Mapping): ReportFormat => ({
  name: 'generic',
  recognises: (root) => {
    const object = objectOf(root)
    return mapping !== undefined || object?.format === 'generic' || (object !== undefined && isTable(object))
  },
  items: [rows, ['*'], [...(mapping?.findings ?? 'findings').split('.'), '*']],
  open: (context, options) => open(context, options, mapping ?? { fields: {}, severities: {} }),
})

const isTable = (root: JsonObject): boolean =>
  Object.keys(root).length === 2 && Array.isArray(root.columns) && Array.isArray(root.rows)

function open(
  context: DocumentContext,
  options: OpenOptions,
  mapping: Mapping,
): OpenedReport | { problems: ReportProblem[] } {
  const root = objectOf(context.rest.value) ?? {}
  const columns = isTable(root) ? listOf(root.columns).map((name) => textOf(name)?.trim() ?? '') : undefined
  const problems = columns ? problemsOfTable(columns, mapping) : problemsOfJson(context.rest.value, mapping)
  if (problems.length > 0) return { problems }
  const first = [...context.firsts.values()][0]
  const fallback = reportTypes.find((type) => type === root.report_type) ?? typeOf(first, columns, mapping)
  const chosen = chooseType('generic', options.reportType, fallback, possibleTypes)
  if ('problems' in chosen) return chosen
  const name = mapping.scanner ?? textOf(root.scanner) ?? 'Generic'
  const scanner = scannerOf(slugOf(name), name, name, textOf(root.scanner_version))
  const reading = { ...options, ...chosen, scanner, identifiersOf: startIdentifiers(() => {}) }
  const readItem = (entry: JsonObject, item: Item): ReportFinding | SkippedFinding => {
    const { pointer } = item
    const values = valuesOf(entry, columns, mapping)
    const reason = reasonToSkip(entry, values, columns, mapping)
    if (reason !== undefined) return { pointer, reason }
    return finishFinding(draftOf(values, severityOf(values.severity, mapping), reading), pointer, options)
  }
  return {
    header: toolHeader({ format: 'generic', version: '', ...chosen, scanner, scan: plainScan(root.scanned_at) }),
    problems: [],
    warnings: [],
    mixesScanners: false,
    check: (value, { pointer }) => {
      const entry = objectOf(value)
      if (!entry) return [{ type: 'Schema', message: `property '${pointer}' is not of type: object`, pointer }]
      const reason = reasonToSkip(entry, valuesOf(entry, columns, mapping), columns, mapping)
      return reason === undefined ? [] : [{ type: 'Schema', message: `property '${pointer}': ${reason}`, pointer }]
    },
    read: (entry, item) => [readItem(entry, item)],
  }
}

const possibleTypes = reportTypes.filter((type) => type !== 'coverage_fuzzing' && type !== 'cluster_image_scanning')

/** Derives the type from the fields of the first entry. */
function typeOf(first: unknown, columns: readonly string[] | undefined, mapping: Mapping): ReportType {
  const values = columns ? undefined : valuesOf(objectOf(first) ?? {}, undefined, mapping)
  const has = (field: GenericField) =>
    columns ? columnOf(columns, field, mapping) >= 0 : values?.[field] !== undefined
  if (has('image')) return 'container_scanning'
  if (has('package')) return 'dependency_scanning'
  return has('url') && !has('file') ? 'dast' : 'sast'
}

/** Returns the values of an entry as texts. */
function valuesOf(entry: JsonObject, columns: readonly string[] | undefined, mapping: Mapping): Values {
  const values: Values = {}
  const cells = listOf(entry.values)
  for (const field of genericFields) {
    const value = columns ? cells[columnOf(columns, field, mapping)] : valueAt(entry, mapping.fields[field] ?? field)
    const text = printed(value)
    if (text !== undefined) values[field] = text
  }
  return { ...values, raw: columns ? Object.fromEntries(columns.map((name, index) => [name, cells[index]])) : entry }
}

const columnOf = (columns: readonly string[], field: GenericField, { fields }: Mapping): number => {
  const wanted = (fields[field] ?? field).toLowerCase()
  return columns.findIndex((name) => name.toLowerCase() === wanted)
}

/** Returns the value of a key, or of keys joined by dots. */
function valueAt(entry: JsonObject, path: string): unknown {
  if (Object.hasOwn(entry, path)) return entry[path]
  let value: unknown = entry
  for (const key of path.split('.')) {
    const object = objectOf(value)
    value = object && Object.hasOwn(object, key) ? object[key] : undefined
  }
  return value
}

function printed(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  if (Array.isArray(value)) return textOf(value.map((one) => printed(one) ?? '').join('\n'))
  return textOf(value)
}

function reasonToSkip(
  { values: cells }: JsonObject,
  values: Values,
  columns: readonly string[] | undefined,
  mapping: Mapping,
): string | undefined {
  const count = listOf(cells).length
  if (columns && count > columns.length) return `it has ${count} values, but the table has ${columns.length} columns`
  if (!values.title?.trim()) return 'it has no title'
  if (severityOf(values.severity, mapping)) return undefined
  const word = JSON.stringify(values.severity?.slice(0, 40))
  return `its severity ${word} is unknown; map it with "severities" in the mapping`
}

function problemsOfTable(columns: readonly string[], mapping: Mapping): ReportProblem[] {
  const known = columns.map((name) => JSON.stringify(name.slice(0, 40))).join(', ')
  const lower = columns.map((name) => name.toLowerCase())
  const twice = lower.find((name, index) => name !== '' && lower.indexOf(name) !== index)
  if (twice !== undefined) return [problem(`The table has two columns with the name ${JSON.stringify(twice)}`)]
  const missing = genericFields.filter((field) => {
    const isNeeded = field === 'title' || mapping.fields[field] !== undefined
    return isNeeded && columnOf(columns, field, mapping) < 0
  })
  return missing.map((field) =>
    problem(
      `The table has no column ${JSON.stringify(mapping.fields[field] ?? field)} for the field ${field}. Its columns are ${known}; a mapping names the columns, such as {"${field}": ${JSON.stringify(columns[0] ?? '')}}`,
    ),
  )
}

function problemsOfJson(root: unknown, { findings = 'findings' }: Mapping): ReportProblem[] {
  if (Array.isArray(root) || Array.isArray(valueAt(objectOf(root) ?? {}, findings))) return []
  return [
    problem(
      `There is no list of findings at ${JSON.stringify(findings)}; "findings" in a mapping names the keys of the list`,
    ),
  ]
}

const problem = (message: string): ReportProblem => ({ type: 'Format', message, pointer: '' })
