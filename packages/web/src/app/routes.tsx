import { Redirect, Route, Switch } from 'wouter'
import { later } from '../components/later.ts'
import { NotFound } from '../components/not-found.tsx'
import { fromGitlabAddress } from './gitlab-addresses.ts'

const AdminPage = later(async () => (await import('../features/admin/admin-page.tsx')).AdminPage)
const AdminMode = later(async () => (await import('../features/account/admin-mode.tsx')).AdminMode)
const Profile = later(async () => (await import('../features/account/profile.tsx')).Profile)
const SetPassword = later(async () => (await import('../features/account/set-password.tsx')).SetPassword)
const ApiPage = later(async () => (await import('../features/api-docs/api-page.tsx')).ApiPage)
const SignIn = later(async () => (await import('../features/account/sign-in.tsx')).SignIn)
const Tokens = later(async () => (await import('../features/account/tokens/tokens.tsx')).Tokens)
const Groups = later(async () => (await import('../features/explore/groups.tsx')).Groups)
const Projects = later(async () => (await import('../features/explore/projects.tsx')).Projects)
const TopicPage = later(async () => (await import('../features/explore/topic-page.tsx')).TopicPage)
const Topics = later(async () => (await import('../features/explore/topics.tsx')).Topics)
const GroupPage = later(async () => (await import('../features/group/group-page.tsx')).GroupPage)
const NewGroup = later(async () => (await import('../features/group/new-group.tsx')).NewGroup)
const Home = later(async () => (await import('../features/home/home.tsx')).Home)
const NewProject = later(async () => (await import('../features/project/new-project.tsx')).NewProject)
const ProjectPage = later(async () => (await import('../features/project/project-page.tsx')).ProjectPage)
const TopPage = later(async () => (await import('../features/user/user-page.tsx')).TopPage)

/** The path of a group, and behind `/-/` a part of it: the addresses that `web_url` has. */
const groupPattern = /^\/groups\/(?<place>(?!-\/)[^/]+(?:\/[^/]+)*?)(?:\/-\/(?<part>.*))?\/?$/

/** The same of a project, which is always in something. */
const projectPattern = /^\/(?<place>[^/]+(?:\/[^/]+)+?)(?:\/-\/(?<part>.*))?\/?$/

/** A name as it was before it stood in an address; a lone % is what it is. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** Every address of the UI, the fixed ones first. */
export function Routes() {
  return (
    <Switch>
      <Route path="/" component={Home} />
      <Route path="/-/sign_in" component={SignIn} />
      <Route path="/-/password" component={SetPassword} />
      <Route path="/-/profile" component={Profile} />
      <Route path="/-/profile/tokens" component={Tokens} />
      <Route path="/-/profile/admin_mode" component={AdminMode} />
      <Route path="/-/projects/new" component={NewProject} />
      <Route path="/-/groups/new" component={NewGroup} />
      <Route path="/explore/projects" component={Projects} />
      <Route path="/explore/groups" component={Groups} />
      <Route path="/explore/topics" component={Topics} />
      <Route path="/explore/topics/:name">
        {() => {
          // From the address itself: a name may hold what the router, which has decoded half of it, leaves ambiguous.
          const name = decoded(location.pathname.split('/')[3] ?? '')
          return <TopicPage key={name} name={name} />
        }}
      </Route>
      <Route path={/\/-\/security\//}>
        {() => {
          const ours = fromGitlabAddress(location.pathname)
          return ours === undefined ? <NotFound /> : <Redirect to={ours + location.search + location.hash} replace />
        }}
      </Route>
      <Route path={groupPattern}>
        {({ place = '', part = '' }: { place?: string; part?: string }) => (
          <GroupPage key={place} place={decoded(place)} part={part} />
        )}
      </Route>
      <Route path={/^\/-\/admin(\/|$)/} component={AdminPage} />
      <Route path="/-/api">
        <ApiPage />
      </Route>
      <Route path="/-/api/:operation">{({ operation }) => <ApiPage operation={operation} />}</Route>
      <Route path={/^\/(-|explore|groups)(\/|$)/} component={NotFound} />
      <Route path={projectPattern}>
        {({ place = '', part = '' }: { place?: string; part?: string }) => (
          <ProjectPage key={place} place={decoded(place)} part={part} />
        )}
      </Route>
      <Route path="/:name">{({ name }: { name: string }) => <TopPage key={name} name={decoded(name)} />}</Route>
      <Route component={NotFound} />
    </Switch>
  )
}
