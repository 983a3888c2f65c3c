import { isObject } from '../fields/json-fields.ts'
import { type Check, constant, integer, list, note, object, scalar, text, word } from '../problems/checks.ts'

// Rules of the published schema for the fields that are read. Unlike the schema, they permit unknown properties, which
// tools add and which are ignored.

const anyText = text()

/** Requires at least one of the keys. */
function withOneOf(keys: readonly string[], check: Check): Check {
  return (value, found) => {
    check(value, found)
    if (isObject(value) && !keys.some((key) => Object.hasOwn(value, key))) {
      note(found, `is missing required keys: ${keys.join(' or ')}`)
    }
  }
}

const message = withOneOf(
  ['text', 'id'],
  object({ properties: { text: anyText, markdown: anyText, id: anyText, arguments: list(anyText) } }),
)

const described = object({ required: ['text'], properties: { text: anyText, markdown: anyText } })

const level = word(['none', 'note', 'warning', 'error'])

const artifactLocation = object({
  properties: { uri: anyText, uriBaseId: anyText, index: integer({ min: -1 }) },
})

const region = withOneOf(
  ['startLine', 'charOffset', 'byteOffset'],
  object({
    properties: {
      startLine: integer({ min: 1 }),
      endLine: integer({ min: 1 }),
      startColumn: integer({ min: 1 }),
      endColumn: integer({ min: 1 }),
      charOffset: integer({ min: -1 }),
      charLength: integer({ min: 0 }),
      byteOffset: integer({ min: -1 }),
      byteLength: integer({ min: 0 }),
      snippet: object({ properties: { text: anyText } }),
    },
  }),
)

const location = object({
  properties: {
    id: integer({ min: -1 }),
    physicalLocation: withOneOf(
      ['address', 'artifactLocation'],
      object({ properties: { artifactLocation, region, contextRegion: region } }),
    ),
    logicalLocations: list(object({ properties: { name: anyText, fullyQualifiedName: anyText } })),
    message,
  },
})

export const resultCheck: Check = object({
  required: ['message'],
  properties: {
    ruleId: anyText,
    ruleIndex: integer({ min: -1 }),
    rule: object({ properties: { id: anyText, index: integer({ min: -1 }) } }),
    kind: word(['notApplicable', 'pass', 'fail', 'review', 'open', 'informational']),
    level,
    message,
    locations: list(location),
    relatedLocations: list(location),
    fingerprints: object({}),
    partialFingerprints: object({}),
    baselineState: word(['new', 'unchanged', 'updated', 'absent']),
    suppressions: list(
      object({
        required: ['kind'],
        properties: {
          kind: word(['inSource', 'external']),
          status: word(['accepted', 'underReview', 'rejected']),
          justification: anyText,
        },
      }),
    ),
    properties: object({}),
  },
})

const rule = object({
  required: ['id'],
  properties: {
    id: anyText,
    name: anyText,
    shortDescription: described,
    fullDescription: described,
    help: described,
    helpUri: anyText,
    defaultConfiguration: object({ properties: { enabled: scalar('boolean'), level } }),
    properties: object({}),
  },
})

const component = object({
  required: ['name'],
  properties: { name: anyText, version: anyText, semanticVersion: anyText, organization: anyText, rules: list(rule) },
})

const run = object({
  required: ['tool'],
  properties: {
    tool: object({ required: ['driver'], properties: { driver: component, extensions: list(component) } }),
    invocations: list(
      object({ required: ['executionSuccessful'], properties: { executionSuccessful: scalar('boolean') } }),
    ),
    artifacts: list(object({ properties: { location: artifactLocation } })),
    originalUriBaseIds: object({}),
    results: list(resultCheck),
    properties: object({}),
  },
})

export const logCheck: Check = object({
  required: ['version', 'runs'],
  properties: { version: constant('2.1.0'), runs: list(run) },
})
