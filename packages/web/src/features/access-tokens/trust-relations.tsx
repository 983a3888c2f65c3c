import { Pencil, Plus, ShieldCheck, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/overlay/dialog.tsx'
import { ActionMenu } from '../../components/overlay/menu.tsx'
import { Panel } from '../../components/page/page.tsx'
import { PagedTable } from '../../components/page/paged-table.tsx'
import { useAction, usePage } from '../../data/api.ts'
import { useMayChange } from '../../data/session.ts'
import { type MemberPlace, roleName } from '../../nouns/member/roles.ts'
import styles from '../../nouns/token/token.module.css'
import { LastUse, Scopes } from '../../nouns/token/token-fields.tsx'
import { textOf } from './claim-text.ts'
import { texts } from './texts.ts'
import { TrustForm } from './trust-form.tsx'
import type { Relation } from './trust-relation.ts'

/** The API admits fewer relations than one page has. */
const perPage = 100

/** Issuers whose tokens a project or group trusts. */
export function TrustRelations({ place }: { place: MemberPlace }) {
  const isWriter = useMayChange()
  const [asked, setAsked] = useState<{ kind: 'create' } | { kind: 'edit' | 'delete'; relation: Relation }>()
  const close = () => setAsked(undefined)
  const query = usePage(`GET /${place.noun}s/{id}/trust_relations`, {
    path: { id: place.id },
    query: { per_page: perPage },
  })
  const remove = useAction(`DELETE /${place.noun}s/{id}/trust_relations/{relation_id}`, {
    done: texts.trustRelationDeleted,
    onDone: close,
  })
  const actions = (relation: Relation) => [
    { label: texts.edit, icon: Pencil, onChoose: () => setAsked({ kind: 'edit', relation }) },
    {
      label: texts.deleteLabel,
      icon: Trash2,
      isDangerous: true,
      onChoose: () => setAsked({ kind: 'delete', relation }),
    },
  ]
  return (
    <Panel
      title={texts.trustRelations}
      actions={
        isWriter && (
          <Button icon={Plus} onClick={() => setAsked({ kind: 'create' })}>
            {texts.addTrustRelation}
          </Button>
        )
      }
    >
      <p className="muted">{texts.pipelinesOfGitlabGithub}</p>
      <PagedTable
        label={texts.trustedIssuers}
        query={query}
        perPage={perPage}
        empty={{ icon: ShieldCheck, title: texts.noTrustRelations }}
        columns={[
          [
            texts.name,
            (relation) => (
              <>
                {relation.name}
                <p className="muted small">{relation.issuer}</p>
              </>
            ),
            styles.name,
          ],
          [texts.claims, ({ claims }) => <code className={styles.claims}>{textOf({ ...claims })}</code>],
          [texts.role, (relation) => roleName(relation.access_level)],
          [texts.scopes, ({ scopes }) => <Scopes scopes={scopes} />],
          [texts.lastUsed, (relation) => <LastUse at={relation.last_used_at} />],
          [
            <span key="actions" className="visually-hidden">
              {texts.actions}
            </span>,
            (relation) => isWriter && <ActionMenu label={texts.actionsFor(relation.name)} items={actions(relation)} />,
          ],
        ]}
      />
      {asked?.kind === 'create' && <TrustForm place={place} onClose={close} />}
      {asked?.kind === 'edit' && <TrustForm place={place} relation={asked.relation} onClose={close} />}
      {asked?.kind === 'delete' && (
        <ConfirmDialog
          isOpen
          onClose={close}
          title={texts.deleteLabelName(asked.relation.name)}
          lead={texts.tokensOfThisIssuer}
          confirm={texts.deleteLabel}
          isBusy={remove.isPending}
          onConfirm={() => remove.mutate({ path: { id: place.id, relation_id: asked.relation.id } })}
        />
      )}
    </Panel>
  )
}
