import Type from 'typebox'

export const fileWarningView = Type.Object(
  { line: Type.Integer(), message: Type.String() },
  { title: 'ProjectFileWarning' },
)
