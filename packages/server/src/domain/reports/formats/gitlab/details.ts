import { isObject } from '../fields/json-fields.ts'
import {
  type Check,
  constant,
  ifObject,
  integer,
  list,
  note,
  object,
  scalar,
  text,
  within,
  word,
} from '../problems/checks.ts'
import type { Major } from './versions.ts'

/** Checks the `details` of a finding: named elements of a closed set of kinds, which may be nested. */
export function detailsCheck(major: Major): Check {
  const element: Check = (value, found) => {
    if (!isObject(value)) return note(found, 'is not of type: object')
    // The `type` of an element determines its kind, so at most one kind can match.
    const kind = typeof value.type === 'string' ? kinds.get(value.type) : undefined
    if (kind) kind(value, found)
    else note(found, 'is invalid: error_type=oneOf')
  }
  const items: Check = (value, found) => {
    if (!isObject(value)) return note(found, 'is not of type: object')
    for (const key of Object.keys(value)) {
      if (!/^.*$/.test(key)) continue
      within(found, key, namedField, value[key])
      within(found, key, element, value[key])
    }
  }
  const kinds = elementKinds(element, items, fileLocations[major])
  if (major === 14) kinds.delete('code-flows')
  return items
}

const anyText = text()
const someText = text({ min: 1 })
const namedField = ifObject({ required: ['name'], properties: { name: anyText, description: anyText } })

function elementKinds(element: Check, items: Check, fileLocation: Check): Map<string, Check> {
  const elements = list(element)
  const flowNode = object({
    required: ['file_location', 'node_type'],
    properties: {
      type: constant('code-flow-node'),
      file_location: fileLocation,
      node_type: word(['source', 'sink', 'propagation']),
    },
  })
  const flows = list(list(flowNode, { min: 1 }), { min: 1, max: 10 })
  return new Map([
    ['named-list', kind({ items })],
    ['list', kind({ items: elements })],
    ['table', kind({ rows: list(elements) }, { header: elements })],
    ['text', kind({ value: anyText })],
    ['url', kind({ href: someText }, { text: anyText })],
    ['code', kind({ value: anyText }, { lang: anyText })],
    ['value', kind({ value: scalar('number', 'string', 'boolean') })],
    ['diff', kind({ before: anyText, after: anyText })],
    ['markdown', kind({ value: anyText })],
    ['commit', kind({ value: someText })],
    ['file-location', fileLocation],
    ['module-location', kind({ module_name: someText, offset: integer() })],
    ['code-flows', kind({ items: flows })],
  ])
}

function kind(required: Record<string, Check>, optional: Record<string, Check> = {}): Check {
  return ifObject({ required: Object.keys(required), properties: { ...required, ...optional } })
}

const fileLocations: Record<Major, Check> = {
  14: fileLocationCheck({ line_start: integer(), line_end: integer() }),
  15: withBothColumns(
    fileLocationCheck({
      line_start: integer({ min: 1 }),
      line_end: integer({ min: 1 }),
      column_start: integer({ min: 1 }),
      column_end: integer({ min: 1 }),
    }),
  ),
}

function fileLocationCheck(numbers: Record<string, Check>): Check {
  return object({
    required: ['type', 'file_name', 'line_start'],
    properties: { type: constant('file-location'), file_name: someText, ...numbers },
  })
}

function withBothColumns(check: Check): Check {
  return (value, found) => {
    check(value, found)
    if (isObject(value) && Object.hasOwn(value, 'column_start') !== Object.hasOwn(value, 'column_end')) {
      note(found, 'is invalid: error_type=dependencies')
    }
  }
}
