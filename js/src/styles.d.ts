// Style sheets are bundled beside the module; importing one has no value.
declare module "*.css";
