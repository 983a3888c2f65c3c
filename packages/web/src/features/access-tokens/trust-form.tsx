import { useState } from 'react'
import { ActionForm } from '../../components/form/action-form.tsx'
import { SelectField, TextArea, TextField } from '../../components/form/field.tsx'
import { Dialog } from '../../components/overlay/dialog.tsx'
import { useAction } from '../../data/api.ts'
import { levels } from '../../data/session.ts'
import { grantableRoles, type MemberPlace } from '../../nouns/member/roles.ts'
import { type BotScope, botScopes } from '../../nouns/token/scopes.ts'
import { ScopesField } from '../../nouns/token/token-fields.tsx'
import { patternsIn, textOf } from './claim-text.ts'
import { KeysFields, keyTermsOf } from './keys-fields.tsx'
import { texts } from './texts.ts'
import type { Relation } from './trust-relation.ts'

const presets = {
  gitlab: { label: texts.gitlab, issuer: 'https://gitlab.com', claim: 'project_path' },
  github: { label: texts.githubActions, issuer: 'https://token.actions.githubusercontent.com', claim: 'repository' },
  other: { label: texts.anotherIssuer, issuer: '', claim: 'sub' },
} as const
type Preset = keyof typeof presets
const presetChoices = Object.entries(presets).map(([value, { label }]) => ({ value: value as Preset, label })) // its keys

/** Creates or edits a trust relation. */
export function TrustForm({
  place,
  relation,
  onClose,
}: {
  place: MemberPlace
  relation?: Relation
  onClose: () => void
}) {
  const [preset, setPreset] = useState<Preset>('gitlab')
  const [chosen, setChosen] = useState<readonly BotScope[]>(
    relation ? botScopes.map(({ name }) => name).filter((name) => relation.scopes.includes(name)) : [botScopes[0].name],
  )
  const [role, setRole] = useState(String(relation?.access_level ?? levels.developer))
  const [problem, setProblem] = useState('')
  const create = useAction(`POST /${place.noun}s/{id}/trust_relations`, {
    showsErrors: true,
    done: texts.trustRelationAdded,
    onDone: onClose,
  })
  const change = useAction(`PUT /${place.noun}s/{id}/trust_relations/{relation_id}`, {
    showsErrors: true,
    done: texts.saved,
    onDone: onClose,
  })
  function submit(text: (name: string) => string) {
    const claims = patternsIn(text('claims'))
    const branchClaims = patternsIn(text('default_branch_claims'))
    const keyTerms = keyTermsOf(text('jwks_url'), text('jwks'))
    const found =
      claims.problem ??
      branchClaims.problem ??
      (chosen.length === 0 ? texts.selectAtLeastOne : keyTerms ? '' : texts.theKeysAreNotAJson)
    setProblem(found)
    if (found) return
    const body = {
      name: text('name'),
      issuer: text('issuer'),
      audience: text('audience'),
      claims: claims.patterns,
      default_branch_claims: branchClaims.patterns,
      access_level: Number(role) as 30, // one of the roles
      scopes: [...chosen],
      ...keyTerms,
    }
    if (relation) change.mutate({ path: { id: place.id, relation_id: relation.id }, body })
    else create.mutate({ path: { id: place.id }, body })
  }
  const { label, issuer, claim } = presets[preset]
  return (
    <Dialog isOpen onClose={onClose} title={relation ? texts.editName(relation.name) : texts.addTrustRelation}>
      <ActionForm
        // Presets replace the values of the fields.
        key={preset}
        action={relation ? change : create}
        fields={['name', 'issuer', 'audience', 'claims', 'default_branch_claims', 'jwks_url', 'jwks']}
        submit={relation ? texts.save : texts.addTrustRelation}
        problem={problem}
        onCancel={onClose}
        onSubmit={submit}
      >
        {!relation && (
          <SelectField label={texts.ciSystem} choices={presetChoices} value={preset} onChoose={setPreset} />
        )}
        <TextField label={texts.name} name="name" required autoComplete="off" defaultValue={relation?.name ?? label} />
        <TextField label={texts.issuer} name="issuer" type="url" required defaultValue={relation?.issuer ?? issuer} />
        <TextField
          label={texts.audience}
          name="audience"
          required
          defaultValue={relation?.audience ?? location.origin}
          hint={texts.jobsRequestTheirTokens}
        />
        <TextArea
          label={texts.claims}
          name="claims"
          required
          rows={3}
          defaultValue={relation ? textOf({ ...relation.claims }) : `${claim} = `}
          hint={texts.oneClaimPerLine}
        />
        <TextArea
          label={texts.claimsForTheDefault}
          name="default_branch_claims"
          rows={2}
          defaultValue={relation ? textOf({ ...relation.default_branch_claims }) : 'ref_protected = true'}
          hint={texts.alsoRequiredToReport}
        />
        <SelectField label={texts.role} choices={grantableRoles(place)} value={role} onChoose={setRole} />
        <ScopesField scopes={botScopes} chosen={chosen} onChange={setChosen} />
        <KeysFields relation={relation} />
      </ActionForm>
    </Dialog>
  )
}
