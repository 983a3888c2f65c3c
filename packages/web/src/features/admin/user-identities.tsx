import type { ResponseOf } from '@alcove/client'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/overlay/dialog.tsx'
import { Panel } from '../../components/page/page.tsx'
import { QueryResult } from '../../components/page/states.tsx'
import { Time } from '../../components/time.tsx'
import { useAction, useApiQuery } from '../../data/api.ts'
import { levels, useMayChange } from '../../data/session.ts'
import styles from './admin.module.css'

type Identity = ResponseOf<'GET /users/{id}/identities'>[number]
type Step = Identity['outcome'][number]

/** Accounts at identity providers of a user: what the last sign-in claimed, and what the mapping made of it. */
export function UserIdentities({ userId }: { userId: number }) {
  const query = useApiQuery('GET /users/{id}/identities', { path: { id: userId } })
  return (
    <QueryResult query={query}>
      {(identities) =>
        identities.length > 0 && (
          <Panel title="Identity providers">
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
    done: `Unlinked from ${identity.provider_name}.`,
    onDone: () => setAsking(false),
  })
  return (
    <div className="stack-tight">
      <LastSignIn identity={identity} />
      {isWriter && (
        <div className="row-wrap">
          <Button kind="danger" size="small" onClick={() => setAsking(true)}>
            Unlink<span className="visually-hidden"> from {identity.provider_name}</span>
          </Button>
        </div>
      )}
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={`Unlink the user from ${identity.provider_name}?`}
        lead="Rights that the provider gave are taken back, and sessions that began there end. Other ways to sign in stay. The next sign-in with this provider may link the user again."
        confirm="Unlink"
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
        <strong>{identity.provider_name}</strong>, account {identity.subject}. Last sign-in{' '}
        <Time of={identity.last_sign_in_at} />.
      </p>
      {identity.outcome.length === 0 ? (
        <p className="muted">The claims changed no rights.</p>
      ) : (
        <ul>
          {identity.outcome.map((step) => (
            <li key={`${step.step} ${step.group}`}>{sentenceOf(step)}</li>
          ))}
        </ul>
      )}
      <details>
        <summary>Claims</summary>
        <pre className={styles.secret}>{JSON.stringify(identity.claims, null, 2)}</pre>
      </details>
    </>
  )
}

function sentenceOf({ step, group, access_level: level }: Step): string {
  const role = Object.entries(levels).find(([, value]) => value === level)?.[0] ?? 'member'
  const sentences: Record<string, string> = {
    administrator: 'Is an administrator by the mapping.',
    'kept administrator': 'Was made an administrator by hand, which the mapping does not change.',
    'removed administrator': 'Is no longer an administrator.',
    'kept last administrator': 'Stays an administrator against the mapping, because there is no other one.',
    member: `Has the role ${role} in ${group} by the mapping.`,
    kept: `Has the role ${role} in ${group} by hand, which the mapping does not change.`,
    removed: `Was removed from ${group}.`,
    'without owner': `${group} has no owner left. Add one.`,
    'unknown group': `The mapping gives the role ${role} in ${group}, which does not exist.`,
  }
  return sentences[step] ?? step
}
