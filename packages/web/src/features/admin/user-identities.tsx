import type { ResponseOf } from '@alcove/client'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { fill } from '../../components/fill.tsx'
import { ConfirmDialog } from '../../components/overlay/dialog.tsx'
import { Panel } from '../../components/page/page.tsx'
import { QueryResult } from '../../components/page/states.tsx'
import { Time } from '../../components/time.tsx'
import { useAction, useApiQuery } from '../../data/api.ts'
import { levels, useMayChange } from '../../data/session.ts'
import styles from './admin.module.css'
import { texts } from './texts.ts'

type Identity = ResponseOf<'GET /users/{id}/identities'>[number]
type Step = Identity['outcome'][number]

/** Accounts at identity providers of a user: what the last sign-in claimed, and what the mapping made of it. */
export function UserIdentities({ userId }: { userId: number }) {
  const query = useApiQuery('GET /users/{id}/identities', { path: { id: userId } })
  return (
    <QueryResult query={query}>
      {(identities) =>
        identities.length > 0 && (
          <Panel title={texts.identityProviders}>
            {identities.map((identity) => (
              <LinkedAccount key={identity.id} userId={userId} identity={identity} />
            ))}
          </Panel>
        )
      }
    </QueryResult>
  )
}

function LinkedAccount({ userId, identity }: { userId: number; identity: Identity }) {
  const isWriter = useMayChange()
  const [isAsking, setAsking] = useState(false)
  const unlink = useAction('DELETE /users/{id}/identities/{provider}', {
    done: texts.unlinkedFrom(identity.provider_name),
    onDone: () => setAsking(false),
  })
  return (
    <div className="stack-tight">
      <LastSignIn identity={identity} />
      {isWriter && (
        <div className="row-wrap">
          <Button kind="danger" size="small" onClick={() => setAsking(true)}>
            {texts.unlink}
            <span className="visually-hidden"> {texts.from(identity.provider_name)}</span>
          </Button>
        </div>
      )}
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={texts.unlinkTheUserFrom(identity.provider_name)}
        lead={texts.rightsThatTheProvider}
        confirm={texts.unlink}
        isBusy={unlink.isPending}
        onConfirm={() => unlink.mutate({ path: { id: userId, provider: identity.provider } })}
      />
    </div>
  )
}

function LastSignIn({ identity }: { identity: Identity }) {
  return (
    <>
      <p>
        {fill(texts.accountLastSignIn, {
          strong: <strong>{identity.provider_name}</strong>,
          subject: identity.subject,
          time: <Time of={identity.last_sign_in_at} />,
        })}
      </p>
      {identity.outcome.length === 0 ? (
        <p className="muted">{texts.theClaimsChangedNo}</p>
      ) : (
        <ul>
          {identity.outcome.map((step) => (
            <li key={`${step.step} ${step.group}`}>{sentenceOf(step)}</li>
          ))}
        </ul>
      )}
      <details>
        <summary>{texts.claims}</summary>
        <pre className={styles.secret}>{JSON.stringify(identity.claims, null, 2)}</pre>
      </details>
    </>
  )
}

function sentenceOf({ step, group, access_level: level }: Step): string {
  const role = Object.entries(levels).find(([, value]) => value === level)?.[0] ?? 'member'
  const sentences: Record<string, string> = {
    administrator: texts.isAnAdministratorByTheMapping,
    'kept administrator': texts.wasMadeAnAdministrator,
    'removed administrator': texts.isNoLongerAnAdministrator,
    'kept last administrator': texts.staysAnAdministratorAgainst,
    member: texts.hasTheRoleInByTheMapping(role, group),
    kept: texts.hasTheRoleInByHand(role, group),
    removed: texts.wasRemovedFrom(group),
    'without owner': texts.hasNoOwnerLeft(group),
    'unknown group': texts.theMappingGivesTheRole(role, group),
  }
  return sentences[step] ?? step
}
