package py

// effectsPlot: Pillow's and matplotlib's documentation. Pillow hands PostScript to
// Ghostscript, whatever the file is called; matplotlib runs LaTeX; the templates
// of pandas' Styler are code.
const effectsPlot = `
matplotlib.pyplot: savefig = write(0,fname) processif(,backend=agg|cairo|pdf|ps|svg) processif(,format=png|pdf|svg|svgz|ps|eps|jpg|jpeg|tif|tiff|webp|raw|rgba)
matplotlib.pyplot: imsave = write(0,fname)
matplotlib.pyplot: imread = url(0,fname)
matplotlib.pyplot: figure subplots gcf subplot gca axes = none -> ?
matplotlib: use = processunless(0,backend=agg|cairo|pdf|ps|svg|template|tkagg|qtagg|qt5agg|qt4agg|gtk3agg|gtk4agg|wxagg|macosx|inline|module://matplotlib_inline.backend_inline|module://ipykernel.pylab.backend_inline)
matplotlib.pyplot: switch_backend = processunless(0,newbackend=agg|cairo|pdf|ps|svg|template|tkagg|qtagg|qt5agg|macosx|inline)
matplotlib.pyplot: text annotate title xlabel ylabel suptitle figtext legend = processif(,usetex)
matplotlib: rc = processif(,usetex)
matplotlib.pyplot: rc = processif(,usetex)
matplotlib.ft2font: FT2Font = read(0,filename)
matplotlib.cbook: open_file_cm = mode(0,path_or_file;1,mode)
matplotlib.cbook: to_filehandle = mode(0,fname;1,flag)
matplotlib: rcParams style colors cm patches ticker = none
matplotlib: rc_file rc_params_from_file = read(0,fname) unresolved
matplotlib.backend_bases: register_backend get_registered_canvas_class = unresolved
matplotlib.backends.backend_ps: gs_distill xpdf_distill = process
matplotlib.style: use context = url(0,style)
matplotlib.font_manager: FontProperties = read(,fname?)
matplotlib.pyplot: rc_context = read(,fname?)
matplotlib.pyplot: style = none
matplotlib: rc_context = read(1,fname?)
matplotlib.image: imread = url(0,fname)
matplotlib.image: imsave = write(0,fname)
matplotlib.backends.backend_pdf: PdfPages = write(0,filename)
matplotlib.animation: * = process
matplotlib.animation: FuncAnimation ArtistAnimation PillowWriter HTMLWriter = none
matplotlib.animation.FuncAnimation: save = write(0,filename) processunless(1,writer=pillow|html|matplotlib.animation.PillowWriter|matplotlib.animation.HTMLWriter) processif(,extra_args)
matplotlib.animation.FuncAnimation: to_html5_video = process
matplotlib.animation.ArtistAnimation: save = write(0,filename) processunless(1,writer=pillow|html|matplotlib.animation.PillowWriter|matplotlib.animation.HTMLWriter) processif(,extra_args)
matplotlib.cbook: get_sample_data = read(0,fname)
matplotlib.testing: * = process
matplotlib.texmanager: * = process
matplotlib.mathtext: math_to_image = write(1,filename_or_obj)
matplotlib.image: thumbnail = read(0,infile) write(1,thumbfile)
matplotlib.image.AxesImage: write_png = write(0,fname)
matplotlib.font_manager: json_dump = write(1,filename)
matplotlib.font_manager: json_load is_opentype_cff_font = read(0,filename)
matplotlib.font_manager: list_fonts = read(0,directory)
matplotlib.font_manager: findSystemFonts = read(0,fontpaths?)
matplotlib.font_manager.FontProperties: set_file = read(0,file)
matplotlib.font_manager.FontManager: addfont = read(0,path)
matplotlib.font_manager.fontManager: addfont = read(0,path)
matplotlib.backends.backend_pdf: PdfFile = write(0,filename)
matplotlib.backends.backend_pgf: * = process
matplotlib.backends.backend_pgf: import = process
matplotlib.figure.Figure: savefig = write(0,fname) processif(,backend=agg|cairo|pdf|ps|svg) processif(,format=png|pdf|svg|svgz|ps|eps|jpg|jpeg|tif|tiff|webp|raw|rgba)
PIL.JpegImagePlugin.JpegImageFile: load_djpeg = process
PIL.Image: open = url(0,fp) processif(,formats=png|jpeg|gif|bmp|tiff|webp|ppm|ico|tga|pcx|mpo|dds|icns) -> PIL.Image.Image
PIL.Image: new fromarray frombytes = none -> PIL.Image.Image
PIL.Image.Image: save = write(0,fp)
PIL.Image.Image: show = process
PIL.Image.Image: resize crop convert rotate filter transpose copy thumbnail = none -> .
PIL.ImageFont: truetype = read(0,font)
PIL.ImageMath: eval unsafe_eval = eval(0,expression)
PIL.EpsImagePlugin: Ghostscript = process
PIL.features: pilinfo = sysinfo
PIL.features: modules codecs features = unresolved
PIL.ImageFont: load load_path = read(0,filename)
PIL.ImageFont: FreeTypeFont = read(0,font)
PIL.ImageFont.FreeTypeFont: font_variant = read(0,font?)
PIL.WalImageFile: open WalImageFile = read(0,filename)
PIL.GdImageFile: open = read(0,fp)
PIL.TarIO: TarIO = read(0,tarfile)
PIL.PdfParser: PdfParser = write(0,filename?)
PIL.ImageFile: ImageFile StubImageFile = read(0,fp)
PIL.EpsImagePlugin: EpsImageFile = read(0,fp) process
PIL.GifImagePlugin: GifImageFile = read(0,fp)
PIL.TiffImagePlugin: TiffImageFile = read(0,fp)
PIL.TiffImagePlugin: AppendingTiffWriter = write(0,fn)
PIL.ImageCms: getOpenProfile ImageCmsProfile = read(0,profile)
PIL.ImagePalette: load = read(0,filename)
PIL.ImagePalette.ImagePalette: save = write(0,fp)
PIL.FontFile.FontFile: save = write(0,filename)
PIL.PSDraw: PSDraw = write(0,fp?)
PIL.ImageMorph.MorphOp: load_lut = read(0,filename)
PIL.ImageMorph.MorphOp: save_lut = write(0,filename)
PIL.ImageDraw2: Font = read(1,file)
PIL.SpiderImagePlugin: isSpiderImage loadImageSeries = read(0,filename)
PIL.ImageGrab: * = native
PIL.ImageShow: * = process
PIL.Image: OPEN SAVE SAVE_ALL DECODERS ENCODERS = unresolved
?: draw_tex get_glyphs_tex get_texmanager make_dvi = process
?: get_text_path get_text_width_height_descent = processif(2,ismath=true)
?: draw_text = processif(6,ismath=true)
matplotlib.textpath.TextToPath: get_text_path get_text_width_height_descent = processif(2,ismath=true)
matplotlib.textpath.text_to_path: get_text_path get_text_width_height_descent = processif(2,ismath=true)
matplotlib.textpath.TextToPath: get_glyphs_tex get_texmanager = process
matplotlib.textpath.text_to_path: get_glyphs_tex get_texmanager = process
?: from_string = template(0,source)
?: template_html template_html_table template_html_style template_latex = eval
matplotlib.rcParams: validate = unresolved
matplotlib.rcParamsDefault: validate = unresolved
matplotlib.rcParamsOrig: validate = unresolved
matplotlib.RcParams: validate = unresolved
matplotlib.pyplot.rcParams: validate = unresolved
matplotlib.rcsetup: validate_cycler = expr(0,s)
matplotlib.style.core: read_style_directory = read(0,style_dir) unresolved
matplotlib.dviread: find_tex_file = process
matplotlib.dviread: Dvi Vf Tfm = read(0,filename)
pandas.io.formats.style.Styler: template_html template_html_table template_html_style template_latex template_string env loader = eval
pandas.io.formats.style_render.StylerRenderer: template_html template_html_table template_html_style template_latex template_string env loader = eval
`
