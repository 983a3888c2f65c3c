import { useLocation } from 'wouter'
import { Empty } from '../../components/page/states.tsx'
import { useSession } from '../../data/session.ts'
import { texts } from './texts.ts'

/** Replaces the forms for a new project or group for users who may not create one. */
export function CreationDenied({ title }: { title: string }) {
  const { user } = useSession()
  const [path] = useLocation()
  const noun = path === '/-/groups/new' ? 'group' : 'project'
  return (
    <Empty title={title} isPage>
      <p>{user ? texts.youSignedInWithARead(noun) : texts.signInToCreate(noun)}</p>
    </Empty>
  )
}
