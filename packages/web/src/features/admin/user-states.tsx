import { useState } from 'react'
import { useLocation } from 'wouter'
import { Button } from '../../components/button.tsx'
import { CheckField } from '../../components/form/field.tsx'
import { Problem } from '../../components/form/problem.tsx'
import { ConfirmDialog } from '../../components/overlay/dialog.tsx'
import { TypedConfirm } from '../../components/overlay/typed-confirm.tsx'
import { Panel } from '../../components/page/page.tsx'
import { useAction } from '../../data/api.ts'
import styles from './admin.module.css'
import type { ShownUser } from './user.ts'

type Step = 'block' | 'unblock' | 'ban' | 'unban' | 'deactivate' | 'activate'

interface Change {
  step: Step
  button: string
  sentence: string
  done: string
  /** True: requires confirmation. */
  isDangerous: boolean
}

const changes: Record<Step, Change> = {
  deactivate: {
    step: 'deactivate',
    button: 'Deactivate',
    sentence: 'Access is suspended until the user signs in again.',
    done: 'User deactivated.',
    isDangerous: true,
  },
  activate: {
    step: 'activate',
    button: 'Activate',
    sentence: 'Restores access immediately.',
    done: 'User activated.',
    isDangerous: false,
  },
  block: {
    step: 'block',
    button: 'Block',
    sentence: 'The user cannot sign in or use tokens. All data is kept.',
    done: 'User blocked.',
    isDangerous: true,
  },
  unblock: {
    step: 'unblock',
    button: 'Unblock',
    sentence: 'Restores access.',
    done: 'User unblocked.',
    isDangerous: false,
  },
  ban: {
    step: 'ban',
    button: 'Ban',
    sentence: 'The user cannot sign in or use tokens until unbanned. All data is kept.',
    done: 'User banned.',
    isDangerous: true,
  },
  unban: {
    step: 'unban',
    button: 'Unban',
    sentence: 'Restores access.',
    done: 'User unbanned.',
    isDangerous: false,
  },
}

const stepsFrom: Record<string, readonly Step[]> = {
  active: ['deactivate', 'block', 'ban'],
  deactivated: ['activate', 'block'],
  blocked: ['unblock'],
  banned: ['unban'],
}

/** Actions on the state, sessions and existence of an account. */
export function UserStates({ user, isYou }: { user: ShownUser; isYou: boolean }) {
  if (isYou) {
    return (
      <Panel title="Access">
        <p className="muted">You cannot block or delete your own account. Ask another administrator.</p>
      </Panel>
    )
  }
  return (
    <Panel title="Access">
      <div className={styles.lines}>
        {(stepsFrom[user.state] ?? ['block']).map((step) => (
          <StateLine key={step} user={user} change={changes[step]} />
        ))}
        <Sessions user={user} />
        <Deletion user={user} />
      </div>
    </Panel>
  )
}

function Sessions({ user }: { user: ShownUser }) {
  const end = useAction('DELETE /users/{id}/sessions', { done: `All sessions of ${user.name} ended.` })
  return (
    <div className={styles.line}>
      <p>Ends all sessions of this user. Access tokens stay valid.</p>
      <Button isBusy={end.isPending} onClick={() => end.mutate({ path: { id: user.id } })}>
        Sign out everywhere
      </Button>
    </div>
  )
}

function StateLine({ user, change }: { user: ShownUser; change: Change }) {
  const [isAsking, setAsking] = useState(false)
  const act = useAction(`POST /users/{id}/${change.step}`, { done: change.done, onDone: () => setAsking(false) })
  const go = () => act.mutate({ path: { id: user.id } })
  return (
    <div className={styles.line}>
      <p>{change.sentence}</p>
      <Button
        kind={change.isDangerous ? 'danger' : 'plain'}
        isBusy={act.isPending}
        onClick={() => (change.isDangerous ? setAsking(true) : go())}
      >
        {change.button}
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={`${change.button} ${user.name}?`}
        lead={change.sentence}
        confirm={change.button}
        isBusy={act.isPending}
        onConfirm={go}
      />
    </div>
  )
}

function Deletion({ user }: { user: ShownUser }) {
  const [, navigate] = useLocation()
  const [isOpen, setOpen] = useState(false)
  const [isHard, setHard] = useState(false)
  const remove = useAction('DELETE /users/{id}', {
    done: `User ${user.name} deleted.`,
    isLeaving: true,
    showsErrors: true,
    onDone: () => navigate('/-/admin/users', { replace: true }),
  })
  function close() {
    setOpen(false)
    remove.reset()
  }
  return (
    <div className={styles.line}>
      <p>Permanently deletes the account and its personal projects.</p>
      <Button kind="danger" onClick={() => setOpen(true)}>
        Delete
      </Button>
      {isOpen && (
        <TypedConfirm
          title={`Delete ${user.name}?`}
          lead="This cannot be undone. To keep all data and only prevent access, block the account instead."
          word={user.username}
          confirm="Delete permanently"
          isBusy={remove.isPending}
          onClose={close}
          onConfirm={() => remove.mutate({ path: { id: user.id }, query: { hard_delete: isHard } })}
        >
          <ul>
            <li>Also deletes personal projects, memberships and tokens.</li>
            <li>
              Kept without an author: uploads, comments and triage decisions in other projects and groups, and topic
              merges.
            </li>
          </ul>
          <CheckField
            label="Also delete groups owned only by this user"
            hint="Includes their projects. Otherwise the last owner of a group cannot be deleted."
            checked={isHard}
            onChange={({ target }) => setHard(target.checked)}
          />
          <Problem text={remove.error?.message ?? ''} />
        </TypedConfirm>
      )}
    </div>
  )
}
