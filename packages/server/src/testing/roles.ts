/** Users of tests of permissions, from those with the fewest rights in a project to administrators. */
export const people = [
  ...(['anonymous', 'outsider', 'guest', 'planner', 'reporter'] as const),
  ...(['developer', 'maintainer', 'owner', 'admin'] as const),
] as const
