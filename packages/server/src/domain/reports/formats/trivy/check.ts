import { type Check, ifObject, list, listOrNull, object, scalar, text } from '../problems/checks.ts'
import type { Kind } from './kinds.ts'

// Rules for the fields that are read; all other fields are ignored.

const anyText = text()
const someText = text({ min: 1 })
const textOrNull = scalar('string', 'null')

const resultCheck: Check = object({
  required: ['Target'],
  properties: {
    Target: anyText,
    Vulnerabilities: listOrNull(),
    Misconfigurations: listOrNull(),
    Secrets: listOrNull(),
    Licenses: listOrNull(),
    ExperimentalModifiedFindings: listOrNull(),
  },
})

export const reportCheck: Check = (value, found) => {
  if (Array.isArray(value)) return list(resultCheck)(value, found)
  object({ required: ['SchemaVersion'], properties: { ArtifactName: textOrNull, Results: listOrNull(resultCheck) } })(
    value,
    found,
  )
}

export const entryChecks: Record<Kind, Check> = {
  Vulnerabilities: object({
    required: ['VulnerabilityID', 'PkgName'],
    properties: {
      VulnerabilityID: someText,
      PkgName: someText,
      InstalledVersion: anyText,
      Severity: textOrNull,
      References: listOrNull(anyText),
      CweIDs: listOrNull(anyText),
      CVSS: ifObject({}),
    },
  }),
  Misconfigurations: object({
    required: ['ID'],
    properties: {
      ID: someText,
      Title: anyText,
      Severity: textOrNull,
      CauseMetadata: object({}),
      References: listOrNull(anyText),
    },
  }),
  Licenses: object({}),
  ExperimentalModifiedFindings: object({}),
  Secrets: object({
    required: ['RuleID'],
    properties: {
      RuleID: someText,
      Title: anyText,
      Severity: textOrNull,
      StartLine: scalar('integer'),
      EndLine: scalar('integer'),
    },
  }),
}
