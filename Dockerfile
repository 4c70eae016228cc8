# syntax=docker/dockerfile:1
# contact-sync: two stages install and build; the image itself is made of what they gather: Node, the libraries that it
# loads, the program with its packages bundled, and the licences of these. It has no shell and no package manager.
#
# BASE is any Debian image with Node 24, npm and glibc 2.34 or newer. It is pinned by its version; whoever builds for
# production pins the digest, too: --build-arg BASE=docker.io/library/node:24.21.0-trixie-slim@sha256:...
ARG BASE=docker.io/library/node:24.21.0-trixie-slim

FROM ${BASE} AS build
WORKDIR /app
COPY package.json package-lock.json rolldown.config.js ./
# No install scripts: every native part comes ready-made inside its package.
RUN ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
COPY src ./src
RUN ["npm", "run", "build"]
RUN ["node", "-e", "for (const idle of fs.globSync('dist/**/*.{map,d.ts}')) fs.rmSync(idle)"]

FROM ${BASE} AS gather
WORKDIR /app
COPY package.json package-lock.json ./
RUN ["npm", "ci", "--ignore-scripts", "--omit=dev", "--omit=optional", "--no-audit", "--no-fund"]
COPY .ci/image ./.ci/image
RUN ["node", ".ci/image/prune.ts", "node_modules"]
RUN ["node", ".ci/image/runtime.ts", "/runtime"]
# Its owner is what a new volume takes over.
RUN ["node", "-e", "for (const d of ['/owned/state', '/owned/config']) fs.mkdirSync(d, { recursive: true })"]

FROM scratch AS program
COPY --from=gather /runtime /
WORKDIR /app
COPY package.json ./
COPY config/presets ./config/presets
COPY config/samples ./config/samples
COPY --from=gather /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY --from=gather --chown=10001:10001 /owned /

ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="contact-sync" \
      org.opencontainers.image.description="Sync connector daemon between contact sources and a Contact Management Service" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
# TMPDIR: SQLite's temporary files go to the one place that may be written to; they have no name while they are open.
ENV PATH=/usr/local/bin \
    NODE_ENV=production \
    TMPDIR=/state \
    CONTACT_SYNC_CONFIG=/config/contact-sync.yaml
# /state is all that is written to; inboxes may lie in it. The configuration is mounted at /config, read-only.
VOLUME ["/state"]
USER 10001:10001
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "/app/dist/main.js"]

# The stand-in for the service alone, for other people's tests: docker build --target sandbox -t contact-sync-sandbox .
FROM program AS sandbox
EXPOSE 8089
HEALTHCHECK --interval=2s --timeout=5s --start-period=10s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8089/openapi.json').then(r=>process.exit(r.ok?0:1),()=>process.exit(1))"]
CMD ["sandbox", "--host", "0.0.0.0", "--port", "8089", "--control"]

FROM program
EXPOSE 8080
# Node asks itself, at server.port, which is 8080 unless PORT says otherwise; not through a proxy of the environment.
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --retries=3 \
  CMD ["node", "-e", "http.get({host:'127.0.0.1',port:process.env.PORT||8080,path:'/healthz',agent:new http.Agent},r=>process.exit(r.statusCode===200?0:1)).on('error',()=>process.exit(1))"]
CMD ["start"]
