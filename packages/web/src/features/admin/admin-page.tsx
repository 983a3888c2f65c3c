import { Route, Switch } from 'wouter'
import { lazyComponent } from '../../components/later.ts'
import { NotForYou } from '../../components/page/not-for-you.tsx'
import { NotFound } from '../../components/page/not-found.tsx'
import { Tabs } from '../../components/page/tabs.tsx'
import { useSession } from '../../data/session.ts'

const Overview = lazyComponent(async () => (await import('./overview.tsx')).Overview)
const Users = lazyComponent(async () => (await import('./users.tsx')).Users)
const NewUser = lazyComponent(async () => (await import('./new-user.tsx')).NewUser)
const UserPage = lazyComponent(async () => (await import('./user-page.tsx')).UserPage)
const Tokens = lazyComponent(async () => (await import('./tokens.tsx')).Tokens)
const Topics = lazyComponent(async () => (await import('./topics/topics.tsx')).Topics)
const NewTopic = lazyComponent(async () => (await import('./topics/new-topic.tsx')).NewTopic)
const TopicPage = lazyComponent(async () => (await import('./topics/topic-page.tsx')).TopicPage)
const Duplicates = lazyComponent(async () => (await import('./topics/duplicates.tsx')).Duplicates)
const Merges = lazyComponent(async () => (await import('./topics/merges.tsx')).Merges)
const Vocabulary = lazyComponent(async () => (await import('./topics/vocabulary.tsx')).Vocabulary)
const Jobs = lazyComponent(async () => (await import('./jobs.tsx')).Jobs)
const Storage = lazyComponent(async () => (await import('./storage.tsx')).Storage)
const Organizations = lazyComponent(async () => (await import('./organizations.tsx')).Organizations)
const Settings = lazyComponent(async () => (await import('./settings.tsx')).Settings)

const tabs = [
  { label: 'Overview', to: '/-/admin', isExact: true },
  { label: 'Users', to: '/-/admin/users' },
  { label: 'Tokens', to: '/-/admin/tokens' },
  { label: 'Topics', to: '/-/admin/topics' },
  { label: 'Jobs', to: '/-/admin/jobs' },
  { label: 'Storage', to: '/-/admin/storage' },
  { label: 'Organizations', to: '/-/admin/organizations' },
  { label: 'Settings', to: '/-/admin/settings' },
]

/** Admin area. Requires administrator rights. */
export function AdminPage() {
  const session = useSession()
  if (!session.is_admin) return <NotForYou session={session} />
  return (
    <div className="stack">
      <Tabs label="Administration" tabs={tabs} />
      <Switch>
        <Route path="/-/admin" component={Overview} />
        <Route path="/-/admin/users" component={Users} />
        <Route path="/-/admin/users/new" component={NewUser} />
        <Route path="/-/admin/users/:id">{({ id }) => <UserPage id={Number(id)} />}</Route>
        <Route path="/-/admin/tokens" component={Tokens} />
        <Route path="/-/admin/topics" component={Topics} />
        <Route path="/-/admin/topics/new" component={NewTopic} />
        <Route path="/-/admin/topics/duplicates" component={Duplicates} />
        <Route path="/-/admin/topics/merges" component={Merges} />
        <Route path="/-/admin/topics/file" component={Vocabulary} />
        <Route path="/-/admin/topics/:id">{({ id }) => <TopicPage id={Number(id)} />}</Route>
        <Route path="/-/admin/jobs" component={Jobs} />
        <Route path="/-/admin/storage" component={Storage} />
        <Route path="/-/admin/organizations" component={Organizations} />
        <Route path="/-/admin/settings" component={Settings} />
        <Route component={NotFound} />
      </Switch>
    </div>
  )
}
