package shell

// commandsSystem are the commands that tell of the system, or change its state,
// processes, users and rights. Source: the manuals of util-linux, procps-ng,
// psmisc, shadow, systemd, sudo, iproute2, kmod, cron; GTFOBins for what they
// lend beside that. How a row is read: row.go.
const commandsSystem = `
id,whoami,groups,who,w,users,last,lastb,lastlog,finger,pinky,logname,tty,uname,arch,nproc,uptime,free,vmstat,iostat,mpstat,sar,pidstat,ps,pstree,pgrep,pidof,top,htop,atop,btop,lscpu,lsblk,lsusb,lspci,lsmod,lshw,lsns,lslogins,lsipc,ipcs,blkid,findmnt,dmidecode,hwinfo,inxi,neofetch,dmesg,journalctl,getconf,hostid,runlevel,sensors,acpi,modinfo,apropos,whatis,getcap,tload,slabtop,pmap,pwdx,procinfo,nvidia-smi,systemd-analyze,systemd-cgls,systemd-detect-virt,virt-what,faillog,ausearch,aureport,auditctl _* +system_info -u= -o= -p= -C= -F= -D=r -d=
hostname,domainname,dnsdomainname v +system_info -F=r -b=v
hostnamectl,timedatectl,localectl,loginctl @control
getent                _ _ +system_info @getent
man,info              r* -P=s --pager=s -H=s --html=s -C=r -M=r --manpath=r -l=r --local-file=r
kill                  k* -s= -n= -l? -L? -p
pkill,killall,killall5,skill,snice,xkill k* -s= -u= -t= -P= -g= -G= -U= -x? -f? -n? -o? --signal= --ns= --older-than= --younger-than= --uid= --user=
renice                _ _* -p= -g= -u= -n= +side_effect
shutdown,reboot,halt,poweroff,init,telinit e* +side_effect
systemctl,service,initctl,rc-service,rc-update,chkconfig,update-rc.d,invoke-rc.d,launchctl,sv @service
systemd-run           @wrapper
crontab               @crontab
at,batch              @at
atq,atrm,anacron      e*
sudo,doas,pkexec,su,runuser,gosu,su-exec,sg,newgrp,setpriv,capsh,chroot,unshare,nsenter,firejail,bwrap,fakeroot,proot,machinectl @raise
visudo,vipw,vigr      -f=w +privilege
useradd,adduser,usermod,userdel,deluser,groupadd,groupmod,groupdel,addgroup,delgroup,passwd,chpasswd,chage,gpasswd,newusers,chsh,chfn,pwconv,grpconv +privilege -G= -g= -d= -s= -p=c -u= -c= -e= -R=
setcap                _ w* +privilege
mount                 @mount
umount,swapon,swapoff,losetup,pivot_root,cryptsetup,dmsetup,lvm,pvcreate,vgcreate,lvcreate,lvremove,vgremove,pvremove,mdadm,zfs,zpool,btrfs,fusermount,mount.nfs,sshfs,kpartx +privilege -t= -o=
mkfs,mkfs.ext2,mkfs.ext3,mkfs.ext4,mkfs.xfs,mkfs.btrfs,mkfs.vfat,mkfs.fat,mke2fs,mkswap,fdisk,sfdisk,cfdisk,gdisk,sgdisk,parted,partprobe,wipefs,tune2fs,resize2fs,e2fsck,fsck,blkdiscard,hdparm,sg_format,nvme,badblocks,debugfs,xfs_repair,xfs_growfs,fstrim,eject w* +privilege +destroy -t= -L= -F -f -a
insmod,modprobe,rmmod,depmod,kexec N* +native +privilege
sysctl                @sysctl
iptables,ip6tables,iptables-restore,nft,ufw,firewall-cmd,ebtables,arptables,ipset,tc e* +privilege +side_effect
ip,ifconfig,route,arp,iwconfig,iw,nmcli,netplan,ethtool,brctl,bridge @interface
netstat,ss            _* +system_info @ss
ipcrm,ipcmk,setserial,loadkeys,update-alternatives,alternatives,ldconfig,update-grub,grub-install,dracut,update-initramfs,mkinitcpio,efibootmgr,hwclock,ntpdate,chronyc,ntpd,dpkg-reconfigure,locale-gen,update-ca-certificates,trust,authconfig,pam-auth-update,setenforce,semanage,setsebool,restorecon,chcon,aa-disable,aa-complain,apparmor_parser,auditd,debconf-set-selections,dpkg-divert,dbus-send,busctl,gdbus,dbus-monitor,wall,write,mesg,logger,systemd-tmpfiles,systemd-resolve,resolvectl e* +side_effect -f=r -p= -t=
ulimit,umask          _* !
strace,ltrace,perf,bpftrace,gdb,lldb,rr,valgrind,uftrace,dtrace,sysdig @trace
gcore,reptyr,process_vm,injector k* +secret +privilege
docker,podman,nerdctl,buildah,docker-compose,podman-compose @container
ctr,crictl,runc,crun,lxc,lxc-start,lxc-attach,lxd,incus,virsh,qemu-system-x86_64,vagrant,VBoxManage,multipass,minikube,kind,k3s,k3d,microk8s e* +privilege +side_effect
kubectl,oc,k,kubectl.exe @cluster
helm,kustomize,argocd,flux,istioctl e* +network +side_effect
terraform,tofu,terragrunt,pulumi,cdk,packer,ansible,ansible-playbook,salt,chef-client,puppet,sls,serverless @infrastructure
aws,gcloud,az,gsutil,bq,doctl,oci,aliyun,ibmcloud,heroku,vercel,netlify,fly,flyctl,wrangler,eb,s3cmd,b2,linode-cli,hcloud @cloud
vault,op,bw,pass,secret-tool,security,keyctl,lastpass,lpass,gopass,chamber,sops,keyring _* +secret
ssh-keygen            -f=w -N=c -C= -t= -b= -y? -D=N -l? -R= -F= +secret
ssh-agent,ssh-copy-id,gpg-agent,gpgconf,kinit,klist _* +secret
ssh-add,ssh-keyscan   r* +secret
history,fc            _* !
loginctl_x            _
xclip,xsel,pbcopy,pbpaste,wl-copy,wl-paste,xdotool,xinput,scrot,gnome-screenshot,screencapture,maim,arecord,xwd,grim,spectacle w* +system_info +side_effect
osascript             @osascript
notify-send,zenity,dialog,whiptail,kdialog _* --title= --text=
screen,tmux,byobu,dtach,abduco,tmate @multiplex
`
