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
import { texts } from './texts.ts'
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
    button: texts.deactivate,
    sentence: texts.accessIsSuspendedUntil,
    done: texts.userDeactivated,
    isDangerous: true,
  },
  activate: {
    step: 'activate',
    button: texts.activate,
    sentence: texts.restoresAccessImmediately,
    done: texts.userActivated,
    isDangerous: false,
  },
  block: {
    step: 'block',
    button: texts.block,
    sentence: texts.theUserCannotSign,
    done: texts.userBlocked,
    isDangerous: true,
  },
  unblock: {
    step: 'unblock',
    button: texts.unblock,
    sentence: texts.restoresAccess,
    done: texts.userUnblocked,
    isDangerous: false,
  },
  ban: {
    step: 'ban',
    button: texts.ban,
    sentence: texts.theUserCannotSignIn,
    done: texts.userBanned,
    isDangerous: true,
  },
  unban: {
    step: 'unban',
    button: texts.unban,
    sentence: texts.restoresAccess,
    done: texts.userUnbanned,
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
      <Panel title={texts.access}>
        <p className="muted">{texts.youCannotBlockOrDelete}</p>
      </Panel>
    )
  }
  return (
    <Panel title={texts.access}>
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
  const end = useAction('DELETE /users/{id}/sessions', { done: texts.allSessionsOfEnded(user.name) })
  return (
    <div className={styles.line}>
      <p>{texts.endsAllSessionsOfThisUser}</p>
      <Button isBusy={end.isPending} onClick={() => end.mutate({ path: { id: user.id } })}>
        {texts.signOutEverywhere}
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
    done: texts.userDeleted(user.name),
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
      <p>{texts.permanentlyDeletesTheAccount}</p>
      <Button kind="danger" onClick={() => setOpen(true)}>
        {texts.deleteLabel}
      </Button>
      {isOpen && (
        <TypedConfirm
          title={texts.deleteLabelName(user.name)}
          lead={texts.thisCannotBeUndone}
          word={user.username}
          confirm={texts.deletePermanently}
          isBusy={remove.isPending}
          onClose={close}
          onConfirm={() => remove.mutate({ path: { id: user.id }, query: { hard_delete: isHard } })}
        >
          <ul>
            <li>{texts.alsoDeletesPersonalProjects}</li>
            <li>{texts.keptWithoutAnAuthor}</li>
          </ul>
          <CheckField
            label={texts.alsoDeleteGroupsOwned}
            hint={texts.includesTheirProjectsOtherwise}
            checked={isHard}
            onChange={({ target }) => setHard(target.checked)}
          />
          <Problem text={remove.error?.message ?? ''} />
        </TypedConfirm>
      )}
    </div>
  )
}
