import { useState } from 'react'
import { useLocation } from 'wouter'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { CheckField } from '../../components/field.tsx'
import { Panel } from '../../components/page.tsx'
import { Problem } from '../../components/problem.tsx'
import { TypedConfirm } from '../../components/typed-confirm.tsx'
import { useAction } from '../../data/api.ts'
import styles from './admin.module.css'
import type { ShownUser } from './user.ts'

type Step = 'block' | 'unblock' | 'ban' | 'unban' | 'deactivate' | 'activate'

interface Change {
  step: Step
  button: string
  sentence: string
  done: string
  /** False: takes nothing away, so nothing is asked before. */
  isDangerous: boolean
}

const changes: Record<Step, Change> = {
  deactivate: {
    step: 'deactivate',
    button: 'Deactivate',
    sentence: 'For somebody who is away for long: nothing works until he signs in again.',
    done: 'The user is deactivated.',
    isDangerous: true,
  },
  activate: {
    step: 'activate',
    button: 'Activate',
    sentence: 'Lets a deactivated user in again at once.',
    done: 'The user is active again.',
    isDangerous: false,
  },
  block: {
    step: 'block',
    button: 'Block',
    sentence: 'Nobody gets in with this account any more, neither by password nor by token. Everything stays.',
    done: 'The user is blocked.',
    isDangerous: true,
  },
  unblock: {
    step: 'unblock',
    button: 'Unblock',
    sentence: 'Lets a blocked user in again.',
    done: 'The user is no longer blocked.',
    isDangerous: false,
  },
  ban: {
    step: 'ban',
    button: 'Ban',
    sentence: 'As blocking, and it takes lifting the ban to undo it.',
    done: 'The user is banned.',
    isDangerous: true,
  },
  unban: {
    step: 'unban',
    button: 'Lift the ban',
    sentence: 'Lets a banned user in again.',
    done: 'The ban is lifted.',
    isDangerous: false,
  },
}

const stepsFrom: Record<string, readonly Step[]> = {
  active: ['deactivate', 'block', 'ban'],
  deactivated: ['activate', 'block'],
  blocked: ['unblock'],
  banned: ['unban'],
}

/** Who gets in, and for how long there is an account at all. */
export function UserStates({ user, isYou }: { user: ShownUser; isYou: boolean }) {
  if (isYou) {
    return (
      <Panel title="Access">
        <p className="muted">This is you. Nobody can shut himself out; another administrator can.</p>
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
  const end = useAction('DELETE /users/{id}/sessions', { done: `${user.name} is signed out everywhere.` })
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
    done: `${user.name} is deleted.`,
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
      <p>Takes the account away for good, with the projects of his own.</p>
      <Button kind="danger" onClick={() => setOpen(true)}>
        Delete
      </Button>
      {isOpen && (
        <TypedConfirm
          title={`Delete ${user.name}?`}
          lead="This cannot be taken back. To keep everything and let nobody in, block the account instead."
          word={user.username}
          confirm="Delete for good"
          isBusy={remove.isPending}
          onClose={close}
          onConfirm={() => remove.mutate({ path: { id: user.id }, query: { hard_delete: isHard } })}
        >
          <ul>
            <li>Deleted with him: the projects of his own with all their files, his memberships and his tokens.</li>
            <li>
              Stays without an author: what he uploaded, wrote and decided in projects of others and of groups; the
              topics he merged.
            </li>
          </ul>
          <CheckField
            label="Also delete the groups that he alone owns"
            hint="With their projects. Without this, an account that alone owns a group is not deleted."
            checked={isHard}
            onChange={({ target }) => setHard(target.checked)}
          />
          <Problem text={remove.error?.message ?? ''} />
        </TypedConfirm>
      )}
    </div>
  )
}
