import Type from 'typebox'
import type { StoredIdentifier, StoredScanner } from '../../../domain/findings/finding.ts'
import { nullableString } from '../views.ts'

export const scannerView = Type.Object({ external_id: Type.String(), name: Type.String(), vendor: Type.String() })

export const viewScanner = ({ externalId, name, vendor }: StoredScanner) => ({ external_id: externalId, name, vendor })

export const identifierView = Type.Object({
  external_type: Type.String(),
  external_id: Type.String(),
  name: Type.String(),
  url: nullableString,
})

export const viewIdentifier = ({ externalType, externalId, name, url }: StoredIdentifier) => ({
  external_type: externalType,
  external_id: externalId,
  name,
  url,
})
