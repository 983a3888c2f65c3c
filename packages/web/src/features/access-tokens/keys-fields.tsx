import { type ChangeEvent, useState } from 'react'
import { Field, TextArea, TextField } from '../../components/form/field.tsx'
import { texts } from './texts.ts'
import type { Relation } from './trust-relation.ts'

type KeySet = Record<string, unknown>

/** Fields for the public keys of an issuer: an address, or the keys themselves, written or read from a file. */
export function KeysFields({ relation }: { relation: Relation | undefined }) {
  const [keys, setKeys] = useState(relation?.jwks ? JSON.stringify(relation.jwks, null, 2) : '')
  async function readFile({ target }: ChangeEvent<HTMLInputElement>) {
    const [file] = target.files ?? []
    if (file) setKeys(await file.text())
    // The same file can be chosen again.
    target.value = ''
  }
  return (
    <>
      <TextField
        label={texts.addressOfTheKeys}
        name="jwks_url"
        type="url"
        defaultValue={relation?.jwks_url ?? ''}
        hint={texts.leaveEmptyToUse}
      />
      <TextArea
        label={texts.keysJwks}
        name="jwks"
        rows={3}
        spellCheck={false}
        value={keys}
        onChange={({ target }) => setKeys(target.value)}
        hint={texts.onlyForAnIssuer}
      />
      <Field label={texts.readTheKeysFromAFile}>
        {(ids) => <input {...ids} type="file" accept=".json,.jwks,application/json" onChange={readFile} />}
      </Field>
    </>
  )
}

/** Returns the fields of the request for what was entered, or undefined if the keys are not an object of JSON. */
export function keyTermsOf(
  address: string,
  keys: string,
): { jwks_url: string | null; jwks: KeySet | null } | undefined {
  if (keys === '') return { jwks_url: address || null, jwks: null }
  try {
    const jwks: unknown = JSON.parse(keys)
    return isObject(jwks) ? { jwks_url: null, jwks } : undefined
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is KeySet =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
