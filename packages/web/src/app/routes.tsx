import { Redirect, Route, Switch } from 'wouter'
import { later } from './later.ts'
import { NotFound } from './not-found.tsx'
import { useSession } from './session.ts'

const AdminPage = later(async () => (await import('../features/admin/admin-page.tsx')).AdminPage)
const SignIn = later(async () => (await import('../features/account/sign-in.tsx')).SignIn)
const Groups = later(async () => (await import('../features/explore/groups.tsx')).Groups)
const Projects = later(async () => (await import('../features/explore/projects.tsx')).Projects)
const GroupPage = later(async () => (await import('../features/group/group-page.tsx')).GroupPage)
const ProjectPage = later(async () => (await import('../features/project/project-page.tsx')).ProjectPage)

/** The path of a group, and behind `/-/` a part of it: the addresses that `web_url` has. */
const groupPattern = /^\/groups\/(?<place>(?!-\/)[^/]+(?:\/[^/]+)*?)(?:\/-\/(?<part>.*))?\/?$/

/** The same of a project, which is always in something. */
const projectPattern = /^\/(?<place>[^/]+(?:\/[^/]+)+?)(?:\/-\/(?<part>.*))?\/?$/

/** Every address of the UI, the fixed ones first. */
export function Routes() {
  const { user } = useSession()
  return (
    <Switch>
      <Route path="/">
        <Redirect to={user ? '/explore/projects?membership=true' : '/explore/projects'} replace />
      </Route>
      <Route path="/-/sign_in" component={SignIn} />
      <Route path="/explore/projects" component={Projects} />
      <Route path="/explore/groups" component={Groups} />
      <Route path={groupPattern}>
        {({ place = '', part = '' }: { place?: string; part?: string }) => (
          <GroupPage key={place} place={decodeURIComponent(place)} part={part} />
        )}
      </Route>
      <Route path={/^\/-\/admin(\/|$)/} component={AdminPage} />
      <Route path={/^\/(-|explore|groups)(\/|$)/} component={NotFound} />
      <Route path={projectPattern}>
        {({ place = '', part = '' }: { place?: string; part?: string }) => (
          <ProjectPage key={place} place={decodeURIComponent(place)} part={part} />
        )}
      </Route>
      <Route component={NotFound} />
    </Switch>
  )
}
