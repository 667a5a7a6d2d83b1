declare module "commonmark-spec";
