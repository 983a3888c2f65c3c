import { Redirect, Route, Switch } from 'wouter'
import { lazyComponent } from '../components/later.ts'
import { NotFound } from '../components/page/not-found.tsx'
import { fromGitlabAddress } from './gitlab-addresses.ts'

const AdminPage = lazyComponent(async () => (await import('../features/admin/admin-page.tsx')).AdminPage)
const AdminMode = lazyComponent(async () => (await import('../features/account/admin-mode.tsx')).AdminMode)
const Profile = lazyComponent(async () => (await import('../features/account/profile.tsx')).Profile)
const SetPassword = lazyComponent(async () => (await import('../features/account/set-password.tsx')).SetPassword)
const ApiPage = lazyComponent(async () => (await import('../features/api-docs/api-page.tsx')).ApiPage)
const SignIn = lazyComponent(async () => (await import('../features/account/sign-in.tsx')).SignIn)
const Tokens = lazyComponent(async () => (await import('../features/account/tokens/tokens.tsx')).Tokens)
const Groups = lazyComponent(async () => (await import('../features/explore/groups.tsx')).Groups)
const Projects = lazyComponent(async () => (await import('../features/explore/projects.tsx')).Projects)
const TopicPage = lazyComponent(async () => (await import('../features/explore/topic-page.tsx')).TopicPage)
const Topics = lazyComponent(async () => (await import('../features/explore/topics.tsx')).Topics)
const GroupPage = lazyComponent(async () => (await import('../features/group/group-page.tsx')).GroupPage)
const NewGroup = lazyComponent(async () => (await import('../features/group/new-group.tsx')).NewGroup)
const Home = lazyComponent(async () => (await import('../features/home/home.tsx')).Home)
const NewProject = lazyComponent(async () => (await import('../features/project/new-project.tsx')).NewProject)
const ProjectPage = lazyComponent(async () => (await import('../features/project/project-page.tsx')).ProjectPage)
const TopPage = lazyComponent(async () => (await import('../features/user/user-page.tsx')).TopPage)

/** Matches the `web_url` of a group, optionally followed by `/-/` and the name of a part. */
const groupPattern = /^\/groups\/(?<place>(?!-\/)[^/]+(?:\/[^/]+)*?)(?:\/-\/(?<part>.*))?\/?$/

/** Matches the `web_url` of a project, whose path has at least two segments, with an optional part. */
const projectPattern = /^\/(?<place>[^/]+(?:\/[^/]+)+?)(?:\/-\/(?<part>.*))?\/?$/

/** Percent-decodes a path segment. Returns it unchanged when it is not valid percent-encoding. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** Routes of the UI, fixed paths first. */
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
          // Reads `location`, because the router decodes only part of the path and leaves some names ambiguous.
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
