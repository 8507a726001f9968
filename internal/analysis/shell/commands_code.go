package shell

// commandsPackages are the package managers and what runs with them.
// Source: the manual of each.
const commandsPackages = `
pip,pipx,uv,uvx,conda,mamba,micromamba,poetry,pipenv,pdm,hatch,rye,easy_install,pyenv,virtualenv,twine @package
npm,pnpm,yarn,bun,npx,pnpx,bunx,corepack,nvm,fnm,n,volta,deno @package
gem,bundle,bundler,cargo,rustup,go,composer,pear,pecl,cpan,cpanm,luarocks,opam,stack,cabal,ghcup,nuget,dotnet,mvn,gradle,gradlew,sbt,lein,mix,rebar3,hex,raco,julia-pkg,vcpkg,conan,R-pkg,tlmgr,sdk,asdf,mise @package
apt,apt-get,aptitude,apt-key,apt-cache,apt-mark,add-apt-repository,dpkg,dpkg-deb,rpm,yum,dnf,zypper,pacman,yay,paru,apk,emerge,xbps-install,opkg,snap,flatpak,brew,port,nix,nix-env,nix-shell,guix,pkg,pkg_add,pkgin,alien,choco,winget,scoop,tdnf,microdnf,swupd,eopkg,slackpkg,cast,installer,softwareupdate,mas @package
`

// commandsCode are the compilers, build tools, interpreters, editors and
// version control. Source: the manual of each; GTFOBins.
const commandsCode = `
sh,bash,dash,ash,zsh,ksh,mksh,rbash,rzsh,fish,csh,tcsh,yash,posh,osh,elvish,nu,xonsh,pwsh,powershell @shell
python,pypy,ipython,jython,micropython @interpreter
node,nodejs,tsx,ts-node,qjs,d8,jsc,electron @interpreter
perl,ruby,irb,php,lua,luajit,Rscript,R,julia,tclsh,wish,expect,guile,racket,scheme,clisp,sbcl,ghci,runghc,ocaml,erl,elixir,iex,escript,groovy,jshell,scala,kotlin,swift,octave,matlab,gnuplot,jrunscript,rhino,pike,rakudo,raku,gforth,gst,yap,swipl,gprolog,crystal,nim,dart,java,emacsclient,gdb-python,nodejs-repl,lein-repl,bb,janet,fennel,hy,cling,root,sage,maxima,gap,gp,magma @interpreter
gcc,cc,clang,g++,c++,clang++,tcc,gfortran,gdc,ldc,rustc,ghc,ocamlopt,javac,kotlinc,scalac,nasm,yasm,as,ld,gold,lld,fpc,tsc,esbuild,babel,webpack,vite,rollup,parcel,swc,protoc,bison,yacc,flex,lex,cython,emcc,wat2wasm @compiler
make,gmake,cmake,ninja,meson,ant,scons,bazel,buck,pants,just,task,rake,grunt,gulp,invoke,fab,nox,tox,autoconf,automake,autoreconf,libtool,qmake,premake,waf,jam,mage,doit,nmake @build
pytest,unittest,jest,mocha,vitest,phpunit,rspec,ctest,bats,shellcheck,pylint,flake8,mypy,black,ruff,isort,eslint,prettier,gofmt,rustfmt,clang-format,clang-tidy,yamllint,jsonlint,hadolint,bandit,semgrep,cloc,tokei,scc,ctags,etags,doxygen,sphinx-build,mkdocs,jupyter-nbconvert,nbconvert,papermill,coverage,autopep8,yapf,pydoc,2to3 @build
vi,vim,nvim,view,rview,ex,rvim,vimdiff,gvim,vimtutor @vim
emacs                 @emacs
nano,pico,rnano,joe,jed,micro,ne,mcedit,kak,helix,hx,kate,gedit,code,subl,mousepad,leafpad,pluma,xed b* -s=s -S -T=
ed,red                @ed
git,hub,gh,glab,tig,git-lfs @git
`

// commandsRun are the commands that run other commands. Source: POSIX.1-2024,
// the manuals of GNU coreutils, findutils, util-linux, GNU parallel, busybox;
// GTFOBins.
const commandsRun = `
env,printenv          @env
nohup,setsid,setarch,linux32,linux64,i386,x86_64,torify,torsocks,proxychains,proxychains4,usewithtor,eatmydata,unbuffer,catchsegv,chpst,softlimit,envdir,envuidgid,setuidgid,multilog,s6-setuidgid,dumb-init,tini,catatonit,pty,daemonize,daemon,start-stop-daemon,dbus-run-session,xvfb-run,nocache,cpulimit,cgexec,systemd-inhibit,caffeinate,rlwrap,ld.so,ld-linux.so,ld-linux-x86-64.so,pkgexec,aoss,padsp,ionice,chrt,nice,stdbuf,time,chronic,ifne,mispipe,ccache,distcc,sccache,direnv,dotenv,aws-vault,hyperfine,entr,watchexec,reflex,nodemon,on_ac_power,multitime,prlimit,choom,uclampset,coresched,zsh-defer,winpty,wine,wine64,box64,qemu-x86_64,qemu-user,setlock,systemd-cat,tsp,nq @wrapper
timeout,taskset,faketime,flock,lockfile,with-lock-ex,runcon,sem @wrapper
xargs,gxargs          @xargs
parallel,rush,pexec   @parallel
watch                 @watch
script                @script
busybox,toybox,sbase-box,coreutils @busybox
run-parts             @folder
pdsh,dsh,pssh,parallel-ssh,clush,cssh,mussh @remote
`
