import { Empty } from '../../components/page/states.tsx'
import { useSession } from '../../data/session.ts'

/** Replaces the forms for a new project or group for users who may not create one. */
export function CreationDenied({ title }: { title: string }) {
  const { user } = useSession()
  const noun = title === 'New group' ? 'group' : 'project'
  return (
    <Empty title={title} isPage>
      <p>
        {user ? `You signed in with a read-only token, so you cannot create ${noun}s.` : `Sign in to create a ${noun}.`}
      </p>
    </Empty>
  )
}
