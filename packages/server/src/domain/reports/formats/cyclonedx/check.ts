import { type Check, integer, list, note, object, scalar, text, word } from '../problems/checks.ts'

// Rules of the schemas 1.4 to 1.7 for the fields that are read; all other fields are ignored.

const anyText = text()
const someText = text({ min: 1 })

const source = object({ properties: { name: anyText, url: anyText } })

const rating = object({
  properties: {
    source,
    score: scalar('number'),
    severity: word(['critical', 'high', 'medium', 'low', 'info', 'none', 'unknown']),
    method: anyText,
    vector: anyText,
  },
})

const states = ['resolved', 'resolved_with_pedigree', 'exploitable', 'in_triage', 'false_positive', 'not_affected']

export const vulnerabilityCheck: Check = object({
  properties: {
    'bom-ref': someText,
    id: anyText,
    source,
    references: list(object({ required: ['id', 'source'], properties: { id: anyText, source } })),
    ratings: list(rating),
    cwes: list(integer({ min: 1 })),
    description: anyText,
    detail: anyText,
    recommendation: anyText,
    advisories: list(object({ required: ['url'], properties: { title: anyText, url: anyText } })),
    analysis: object({ properties: { state: word(states), detail: anyText } }),
    affects: list(object({ required: ['ref'], properties: { ref: anyText } })),
  },
})

export const component = object({
  required: ['type', 'name'],
  properties: { name: anyText, version: anyText, 'bom-ref': someText },
})

const tools: Check = (value, found) => {
  if (Array.isArray(value)) return list(object({}))(value, found)
  object({ properties: { components: list(component) } })(value, found)
}

export const bomCheck: Check = object({
  required: ['bomFormat', 'specVersion'],
  properties: {
    serialNumber: (value, found) => {
      const form = /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
      if (typeof value !== 'string') note(found, 'is not of type: string')
      else if (!form.test(value)) note(found, `does not match pattern: ${form.source}`)
    },
    version: integer({ min: 1 }),
    metadata: object({ properties: { timestamp: anyText, tools, component } }),
    components: list(() => {}),
    vulnerabilities: list(vulnerabilityCheck),
  },
})
