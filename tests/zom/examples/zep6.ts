type GroupSpec<TAttr, TMember> = {
  zarr_version: 2
  attributes: TAttr
  members: {[key: string]: TMember}
}

type ArraySpec<TAttr> = {
  zarr_version: 2
  attributes: TAttr
  shape: number[]
  chunks: number[]
  dtype: string
  compressor: any
  dimension_separator: "." | "/"
}

type XAttrs = {
  _ARRAY_DIMENSIONS: string[]
}

type XArraySpec = ArraySpec<XAttrs>
type XGroupSpec = GroupSpec<any, XArraySpec>

const valid: XGroupSpec = {
  zarr_version: 2,
  attributes: {},
  members: {
    'array_0': {
      zarr_version: 2,
      dtype: 'uint8',
      attributes: {'_ARRAY_DIMENSIONS': ['a', 'b']},
      shape: [10, 10],
      chunks: [10, 10],
      compressor: undefined,
      dimension_separator: "/"
      }
    }
  }

// This fails type checking because of the mssing _ARRAY_DIMENSIONS array attribute
  const invalid: XGroupSpec = {
  zarr_version: 2,
  attributes: {},
  members: {
    'array_0': {
      zarr_version: 2,
      dtype: 'uint8',
      attributes: {'foo': ['a', 'b']},
      shape: [10, 10],
      chunks: [10, 10],
      compressor: undefined,
      dimension_separator: "/"
      }
    }
  }
/*
Type '{ foo: string[]; }' is not assignable to type 'XAttrs'.
  Object literal may only specify known properties, and ''foo'' does not exist in type 'XAttrs'.(2322)
*/
