# The millrace command and nothing else: no shell, no package manager, not root.
#
#   docker build -t millrace .
#   docker run --rm -v millrace:/data millrace token add NAME --folder /data     # without a token, the server does not start
#   docker run -d -v millrace:/data -p 8080:8080 --read-only --tmpfs /tmp --cap-drop ALL millrace
FROM --platform=$BUILDPLATFORM mcr.microsoft.com/dotnet/sdk:10.0-noble-aot AS build
ARG BUILDARCH TARGETARCH
# Clang takes the other processor's C library and linker from its gcc.
RUN case "$BUILDARCH/$TARGETARCH" in amd64/arm64) compiler=gcc-aarch64-linux-gnu ;; arm64/amd64) compiler=gcc-x86-64-linux-gnu ;; *) exit 0 ;; esac \
    && apt-get update && apt-get install -y --no-install-recommends llvm "$compiler"
WORKDIR /source
COPY . .
RUN dotnet publish src/Millrace.Cli -c Release -a "$TARGETARCH" -p:NativeAot=true -p:RunAnalyzers=false -p:LockFolder=/locks -o /program \
    && mkdir /data

FROM mcr.microsoft.com/dotnet/runtime-deps:10.0-noble-chiseled
COPY --from=build /program/Millrace.Cli /usr/bin/millrace
COPY LICENSE THIRD-PARTY-NOTICES.txt /usr/share/doc/millrace/
COPY --from=build --chown=$APP_UID:$APP_UID /data /data
USER $APP_UID
VOLUME /data
EXPOSE 8080
# The folder's tokens, or --insecure after the image's name, let callers in.
HEALTHCHECK --interval=30s --timeout=10s CMD ["/usr/bin/millrace", "health", "--quiet", "--folder", "/data"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/bin/millrace"]
CMD ["serve", "/data", "--host", "*"]
