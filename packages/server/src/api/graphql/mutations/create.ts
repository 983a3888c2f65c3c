import type { Severity, State } from '../../../domain/findings/scales.ts'
import type { Project } from '../../../domain/projects/project.ts'
import { createManually } from '../../../domain/vulnerabilities/promotion/create-manually.ts'
import type { Context, SchemaPart } from '../context.ts'
import { callerOf, type MutationInput, mutationTypes, payloadOf, permitWrite } from './mutation.ts'

interface CreateInput extends MutationInput {
  project: number
  name: string
  description: string
  solution?: string | null
  severity: string
  state: string
  scanner: { id: string; name: string; vendor: { name: string } }
  identifiers: { name: string; url: string; externalType?: string | null; externalId?: string | null }[]
}

export const createSchema: SchemaPart = {
  types: `
"A scanner, or the person or company that found the vulnerability."
input VulnerabilityScannerInput {
  id: String!
  name: String!
  version: String!
  url: String!
  vendor: VulnerabilityScannerVendorInput!
}
input VulnerabilityScannerVendorInput { name: String! }
input VulnerabilityIdentifierInput {
  name: String!
  url: String!
  "Default: cve or cwe if the name begins with it, else other."
  externalType: String
  "Default: the name."
  externalId: String
}
${mutationTypes(
  'vulnerabilityCreate',
  `  project: ProjectID!
  name: String!
  description: String!
  solution: String
  scanner: VulnerabilityScannerInput!
  identifiers: [VulnerabilityIdentifierInput!]!
  state: VulnerabilityState = DETECTED
  severity: VulnerabilitySeverity = UNKNOWN`,
  '  vulnerability: Vulnerability',
)}`,
  resolvers: {
    Mutation: {
      async vulnerabilityCreate(_: unknown, { input }: { input: CreateInput }, context: Context) {
        const { user } = callerOf(context)
        const resources = await permitWrite(context, 'vulnerability.create', input.project)
        const { project } = resources as { project: Project } // of this row
        return payloadOf(input, async () => ({
          vulnerability: await createManually(context.deps, project, user, draftFrom(input)),
        }))
      },
    },
  },
}

function draftFrom({ name, description, solution = null, ...input }: CreateInput) {
  const { id: externalId, name: scannerName, vendor } = input.scanner
  return {
    name,
    description,
    solution: solution?.trim() ? solution : null,
    // The enums have the words of the scales, and a null is that of an input without a value.
    severity: (input.severity ?? 'UNKNOWN').toLowerCase() as Severity,
    state: (input.state ?? 'DETECTED').toLowerCase() as State,
    scanner: { externalId, name: scannerName, vendor: vendor.name },
    identifiers: input.identifiers.map(({ externalType, externalId, ...identifier }) => ({
      ...identifier,
      externalType: externalType?.trim() || undefined,
      externalId: externalId?.trim() || undefined,
    })),
  }
}
